
/* A register and its value; a table of these is what a node has to know of an operation. */
typedef struct cubecast_device_entry {
    uint32_t number, value;
} cubecast_device_entry;

/* Give the router's local port to the collectives, or back to the node. REFUSED: an operation is under way. */
int cubecast_device_enable(const cubecast_device *device, uint32_t enable);

/* Write a table. All nodes must have theirs before one of them starts. REFUSED: an operation is under way. */
int cubecast_device_load(const cubecast_device *device, const cubecast_device_entry *table, uint32_t count);

/* Start an operation: what COMMAND is to be, without START and ABORT. REFUSED: one is under way. */
int cubecast_device_start(const cubecast_device *device, uint32_t command);

/* Return 1 while an operation is under way, else 0. */
int cubecast_device_busy(const cubecast_device *device);

/* Wait until no operation is under way. REFUSED: a vector was too long, or a message not whole. There is no limit, not
 * even for what another node never sends; wait_for gives up after so many reads of STATUS: BUSY. */
int cubecast_device_wait(const cubecast_device *device);
int cubecast_device_wait_for(const cubecast_device *device, uint32_t reads);

/* End an operation in the middle. */
void cubecast_device_abort(const cubecast_device *device);

/* Send the node's own vector, or its message of a ring, 1 to MAX_VECTOR words. */
int cubecast_device_send(const cubecast_device *device, const uint32_t *data, uint32_t words);

/* Receive a result, or a message of a ring, whose first word is its origin; words becomes the number of its words. */
int cubecast_device_receive(const cubecast_device *device, uint32_t *data, uint32_t room, uint32_t *words);
