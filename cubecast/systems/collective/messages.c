
int cubecast_device_enable(const cubecast_device *device, uint32_t enable)
{
    cubecast_device_set_enable(device, enable);
    return cubecast_device_get_enable(device) == enable ? 0 : CUBECAST_DEVICE_REFUSED;
}

int cubecast_device_load(const cubecast_device *device, const cubecast_device_entry *table, uint32_t count)
{
    uint32_t i;
    if (cubecast_device_busy(device))
        return CUBECAST_DEVICE_REFUSED;
    for (i = 0u; i < count; i++)
        cubecast_device_put(device, table[i].number, table[i].value);
    return 0;
}

int cubecast_device_start(const cubecast_device *device, uint32_t command)
{
    if (cubecast_device_busy(device))
        return CUBECAST_DEVICE_REFUSED;
    cubecast_device_set_command(device, command | CUBECAST_COLLECTIVE_COMMAND_START_MASK);
    return 0;
}

int cubecast_device_busy(const cubecast_device *device)
{
    return (cubecast_device_get_status(device) & CUBECAST_COLLECTIVE_STATUS_BUSY_MASK) != 0u;
}

int cubecast_device_wait(const cubecast_device *device)
{
    int status;
    do
        status = cubecast_device_wait_for(device, UINT32_MAX);
    while (status == CUBECAST_DEVICE_BUSY);
    return status;
}

int cubecast_device_wait_for(const cubecast_device *device, uint32_t reads)
{
    for (; reads > 0u; reads--) {
        uint32_t status = cubecast_device_get_status(device);
        if ((status & CUBECAST_COLLECTIVE_STATUS_BUSY_MASK) == 0u)
            return (status & CUBECAST_COLLECTIVE_STATUS_FAILED_MASK) != 0u ? CUBECAST_DEVICE_REFUSED : 0;
    }
    return CUBECAST_DEVICE_BUSY;
}

void cubecast_device_abort(const cubecast_device *device)
{
    cubecast_device_set_command(device, CUBECAST_COLLECTIVE_COMMAND_ABORT_MASK);
}

int cubecast_device_send(const cubecast_device *device, const uint32_t *data, uint32_t words)
{
    return words == 0u ? CUBECAST_DEVICE_NO_DATA : send_words(device, data, words, 0u, 1);
}

int cubecast_device_receive(const cubecast_device *device, uint32_t *data, uint32_t room, uint32_t *words)
{
    *words = 0u;
    return receive_words(device, data, room, words);
}
