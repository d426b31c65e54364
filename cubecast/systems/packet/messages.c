
int cubecast_device_send_by(const cubecast_device *device, uint32_t destination, uint32_t slots, const uint32_t *data,
                            uint32_t words)
{
    uint32_t user = slots << CUBECAST_DEVICE_SEND_SLOTS_SHIFT;
    int status;
    if (destination >= CUBECAST_NODES)
        return (int)CUBECAST_REASON_ADDRESS_BITS;
    if (words >= CUBECAST_INJECTED_WORDS)
        return (int)CUBECAST_REASON_DATA_TOO_LONG;
    if (slots == 0u || slots >= CUBECAST_NODES)
        return (int)CUBECAST_REASON_BAD_SLOT;
    status = send_number(device, destination, user, words == 0u);
    return status ? status : send_words(device, data, words, user, 1);
}

int cubecast_device_send(const cubecast_device *device, uint32_t destination, const uint32_t *data, uint32_t words)
{
    uint32_t useful = destination ^ device->address;
    if (destination >= CUBECAST_NODES)
        return (int)CUBECAST_REASON_ADDRESS_BITS;
    if (useful == 0u)
        return (int)CUBECAST_REASON_BAD_SLOT;
    if (CUBECAST_DEVICE_ADAPTIVE) {
        useful &= ~cubecast_device_get_cut(device);
        if (useful == 0u)
            return (int)CUBECAST_REASON_UNDELIVERABLE;
    }
    return cubecast_device_send_by(device, destination, useful & (~useful + 1u), data, words);
}

int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words)
{
    return cubecast_device_send_by(device, device->address, CUBECAST_NODES - 1u, data, words);
}

int cubecast_device_receive(const cubecast_device *device, uint32_t *source, uint32_t *slot, uint32_t *data,
                            uint32_t room, uint32_t *words)
{
    uint32_t word[2u * CUBECAST_DEVICE_PARTS], user = 0u, i;
    int last = 0;
    *words = *slot = 0u;
    for (i = 0u; i < 2u; i++) {
        if (last || device->receive_word(device->stream, word + (size_t)i * CUBECAST_DEVICE_PARTS, &user, &last) != 0)
            return last ? CUBECAST_DEVICE_CUT_OFF : CUBECAST_DEVICE_STREAM;
        if (last && (user & CUBECAST_DEVICE_RECEIVE_ERROR_MASK) != 0u)
            return CUBECAST_DEVICE_CUT_OFF;
    }
    *source = word[CUBECAST_DEVICE_PARTS] & (CUBECAST_NODES - 1u);
    for (i = 0u; i < CUBECAST_DEVICE_SLOT_BITS; i++) {
        uint32_t bit = CUBECAST_WIDTH - CUBECAST_DEVICE_SLOT_BITS + i;
        *slot |= (word[CUBECAST_DEVICE_PARTS + bit / 32u] >> bit % 32u & 1u) << i;
    }
    return last ? 0 : receive_words(device, data, room, words);
}
