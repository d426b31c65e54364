/* Accesses of a driver on the machine that runs the tests: each is a call of the model of a processor. */
struct host {
    uint32_t (*get)(const void *registers, uint32_t number);
    void (*put)(const void *registers, uint32_t number, uint32_t value);
};

struct host host;

static inline uint32_t cubecast_device_get(const cubecast_device *device, uint32_t number)
{
    return host.get((const void *)device->registers, number);
}

static inline void cubecast_device_put(const cubecast_device *device, uint32_t number, uint32_t value)
{
    host.put((const void *)device->registers, number, value);
}
