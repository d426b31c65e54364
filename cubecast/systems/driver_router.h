
/* Set the fault vector, bit j for dimension j, and take the entries that the error log has, LOG_DEPTH at most. REFUSED:
 * the router has no fault vector, or not that dimension, and there are bits in faults; or FAULT reads otherwise, as
 * where nothing answers, unless it reads as 0 and faults is 0. */
int cubecast_device_init(const cubecast_device *device, uint32_t faults);

/* What the error log says. */
typedef struct cubecast_device_error {
    uint32_t reason; /* one of CUBECAST_REASON_... */
    uint32_t destination, port, lane; /* as the register LOG has them */
} cubecast_device_error;

/* Take the oldest entry of the error log: return 1 and set it, or return 0 if there is none. It is read by one access
 * and removed by another, so program and interrupt handlers must not call this, or init, in the middle of each other's
 * call. */
int cubecast_device_next_error(const cubecast_device *device, cubecast_device_error *error);
