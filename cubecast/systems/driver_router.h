
/* Set the fault vector, bit j for dimension j, and empty the error log. REFUSED: the router has no fault vector, or not
 * that dimension, and there are bits in faults. */
int cubecast_device_init(const cubecast_device *device, uint32_t faults);

/* What the error log says. */
typedef struct cubecast_device_error {
    uint32_t reason; /* one of CUBECAST_REASON_... */
    uint32_t destination, port, lane; /* as the register LOG has them */
} cubecast_device_error;

/* Take the oldest entry of the error log: return 1 and set it, or return 0 if there is none. */
int cubecast_device_next_error(const cubecast_device *device, cubecast_device_error *error);
