
/* Send a packet of words, 0 to INJECTED_WORDS - 1 of them, to another node. Its first hop is the lowest dimension that
 * leads closer, or, with quasi-adaptive routing, the lowest of these whose bit in CUT is 0. A packet that a function
 * has begun and cannot end because send_word gives up stays open: further words to its slots are its. */
int cubecast_device_send(const cubecast_device *device, uint32_t destination, const uint32_t *data, uint32_t words);

/* The same with the first hop that the program has chosen: bit j of slots for dimension j. To the node itself, and with
 * several bits: a broadcast that begins in these dimensions. */
int cubecast_device_send_by(const cubecast_device *device, uint32_t destination, uint32_t slots, const uint32_t *data,
                            uint32_t words);

/* Send a packet to all other nodes. */
int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words);

/* Receive a packet; words becomes the number of its words, source where it comes from, slot the dimension of its first
 * hop. Packets of one source and one slot come in the order in which they were sent. */
int cubecast_device_receive(const cubecast_device *device, uint32_t *source, uint32_t *slot, uint32_t *data,
                            uint32_t room, uint32_t *words);
