
/* Send what follows the list: control vector, source, payload. */
static int send_rest(const cubecast_device *device, uint32_t control, const uint32_t *data, uint32_t words)
{
    int status = 0;
#if CUBECAST_FAULT_TOLERANT
    status = send_number(device, control, 0u, !CUBECAST_SOURCE_FIELD && words == 0u);
#else
    (void)control;
#endif
#if CUBECAST_SOURCE_FIELD || !CUBECAST_FAULT_TOLERANT
    if (status == 0)
        status = send_number(device, device->address, 0u, words == 0u);
#endif
    return status ? status : send_words(device, data, words, 0u, 1);
}

int cubecast_device_send(const cubecast_device *device, const uint32_t *destinations, uint32_t count,
                         const uint32_t *data, uint32_t words)
{
    uint32_t i;
    int status;
    if (count == 0u)
        return (int)CUBECAST_REASON_K_ZERO;
    if (count > CUBECAST_MAX_LIST)
        return (int)CUBECAST_REASON_LIST_TOO_LONG;
    for (i = 0u; i < count; i++)
        if (destinations[i] >= CUBECAST_NODES)
            return (int)CUBECAST_REASON_ADDRESS_BITS;
    if (words > CUBECAST_MAX_DATA)
        return (int)CUBECAST_REASON_DATA_TOO_LONG;
    status = send_number(device, count, 0u, 0);
    for (i = 0u; status == 0 && i < count; i++)
        status = send_number(device, destinations[i], 0u, 0);
    return status ? status : send_rest(device, count > CUBECAST_MAX_DEST ? CUBECAST_NODES - 1u : 0u, data, words);
}

int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words)
{
    int status;
    if (words > CUBECAST_MAX_DATA)
        return (int)CUBECAST_REASON_DATA_TOO_LONG;
    status = send_number(device, CUBECAST_BROADCAST_K, 0u, 0);
    return status ? status : send_rest(device, CUBECAST_NODES - 1u, data, words);
}

int cubecast_device_receive(const cubecast_device *device, uint32_t *source, uint32_t *data, uint32_t room,
                            uint32_t *words)
{
    uint32_t word[CUBECAST_DEVICE_PARTS], user = 0u, left = 1u + CUBECAST_SOURCE_FIELD;
    int last = 0;
    *words = 0u;
    *source = CUBECAST_NODES;
    while (left > 0u) {
        if (device->receive_word(device->stream, word, &user, &last) != 0)
            return CUBECAST_DEVICE_STREAM;
        if (last && (user & CUBECAST_DEVICE_RECEIVE_ERROR_MASK) != 0u)
            return CUBECAST_DEVICE_CUT_OFF;
        left--;
        if (left == 0u && (CUBECAST_SOURCE_FIELD || !CUBECAST_FAULT_TOLERANT))
            *source = word[0];
        if (last)
            return left == 0u ? 0 : CUBECAST_DEVICE_CUT_OFF;
    }
    return receive_words(device, data, room, words);
}
