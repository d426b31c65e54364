
/* Send a packet, 1 to PACKET_LIMIT words of it, with the header that the program has chosen: CUBECAST_KIND_..., r1 and
 * r2. A packet that a function has begun and cannot end because send_word gives up is ended with error after
 * PAUSE_LIMIT cycles, unless that is 0; words up to one with tlast are taken for its rest, and lost. */
int cubecast_device_send_packet(const cubecast_device *device, uint32_t kind, uint32_t r1, uint32_t r2,
                                const uint32_t *data, uint32_t words);

/* Send a packet to another node over the dimensions in which they differ, in descending order. */
int cubecast_device_send(const cubecast_device *device, uint32_t destination, const uint32_t *data, uint32_t words);

#if CUBECAST_MULTICAST
/* Send a packet to all nodes v with (v XOR base) AND NOT mask = 0, the node itself left out; to all other nodes; to
 * those whose bit of bitmap is set, which is a word: bit x is the node XOR r1 XOR x. A bitmap takes a word of the
 * packet, so words is 1 to PACKET_LIMIT - 1. */
int cubecast_device_send_subcube(const cubecast_device *device, uint32_t base, uint32_t mask, const uint32_t *data,
                                 uint32_t words);
int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words);
int cubecast_device_send_bitmap(const cubecast_device *device, uint32_t r1, const uint32_t *bitmap,
                                const uint32_t *data, uint32_t words);
#endif

/* Receive a packet; words becomes the number of its words, without a bitmap. Who has sent it stands in none of them. */
int cubecast_device_receive(const cubecast_device *device, uint32_t *data, uint32_t room, uint32_t *words);
