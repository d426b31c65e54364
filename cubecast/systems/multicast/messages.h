
/* Send words of payload, 0 to MAX_DATA of them, to a list of nodes, or to all others. A message that a function has
 * begun and cannot end because send_word gives up stays open: whoever waits for it waits, and further words are its. */
int cubecast_device_send(const cubecast_device *device, const uint32_t *destinations, uint32_t count,
                         const uint32_t *data, uint32_t words);
int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words);

/* Receive the payload of a message; words becomes the number of its words. With CUBECAST_SOURCE_FIELD, or without
 * CUBECAST_FAULT_TOLERANT, source becomes its source, else NODES. */
int cubecast_device_receive(const cubecast_device *device, uint32_t *source, uint32_t *data, uint32_t room,
                            uint32_t *words);
