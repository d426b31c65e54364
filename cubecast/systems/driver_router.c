
int cubecast_device_init(const cubecast_device *device, uint32_t faults)
{
    cubecast_device_error error;
    uint32_t left = CUBECAST_LOG_DEPTH;
#if CUBECAST_FAULT_TOLERANT
    cubecast_device_set_fault(device, faults);
#endif
    /* Where nothing answers, every read may be an entry. */
    while (left > 0u && cubecast_device_next_error(device, &error))
        left--;
    return faults < CUBECAST_NODES && cubecast_device_get_fault(device) == faults ? 0 : CUBECAST_DEVICE_REFUSED;
}

int cubecast_device_next_error(const cubecast_device *device, cubecast_device_error *error)
{
#ifdef CUBECAST_LOG_WORD
    uint32_t entry = cubecast_device_get_log(device);
    if ((entry & CUBECAST_LOG_VALID_MASK) == 0u)
        return 0;
    error->reason = (entry & CUBECAST_LOG_REASON_MASK) >> CUBECAST_LOG_REASON_SHIFT;
    error->destination = (entry & CUBECAST_LOG_DESTINATION_MASK) >> CUBECAST_LOG_DESTINATION_SHIFT;
    error->port = (entry & CUBECAST_LOG_PORT_MASK) >> CUBECAST_LOG_PORT_SHIFT;
    error->lane = (entry & CUBECAST_LOG_LANE_MASK) >> CUBECAST_LOG_LANE_SHIFT;
    cubecast_device_set_log(device, 0u);
    return 1;
#else
    (void)device;
    (void)error;
    return 0;
#endif
}
