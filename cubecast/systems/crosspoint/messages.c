
/* Return what stands beside the words of a packet. */
static uint32_t user_of(uint32_t kind, uint32_t r1, uint32_t r2)
{
    return kind << CUBECAST_DEVICE_SEND_KIND_SHIFT | r1 << CUBECAST_DEVICE_SEND_R1_SHIFT |
           r2 << CUBECAST_DEVICE_SEND_R2_SHIFT;
}

int cubecast_device_send_packet(const cubecast_device *device, uint32_t kind, uint32_t r1, uint32_t r2,
                                const uint32_t *data, uint32_t words)
{
    if (r1 >= CUBECAST_NODES || r2 >= CUBECAST_NODES)
        return (int)CUBECAST_REASON_ADDRESS_BITS;
    if (kind > CUBECAST_DEVICE_SEND_KIND_MASK >> CUBECAST_DEVICE_SEND_KIND_SHIFT)
        return (int)CUBECAST_REASON_BAD_KIND;
    if (words == 0u)
        return CUBECAST_DEVICE_NO_DATA;
    if (words > CUBECAST_PACKET_LIMIT)
        return (int)CUBECAST_REASON_DATA_TOO_LONG;
    return send_words(device, data, words, user_of(kind, r1, r2), 1);
}

int cubecast_device_send(const cubecast_device *device, uint32_t destination, const uint32_t *data, uint32_t words)
{
    uint32_t way = destination ^ device->address;
    if (way == 0u)
        return (int)CUBECAST_REASON_EMPTY;
    return cubecast_device_send_packet(device, CUBECAST_KIND_UNICAST, way, 0u, data, words);
}

#if CUBECAST_MULTICAST
int cubecast_device_send_subcube(const cubecast_device *device, uint32_t base, uint32_t mask, const uint32_t *data,
                                 uint32_t words)
{
    uint32_t way = (base ^ device->address) & ~mask;
    if (way == 0u && mask == 0u)
        return (int)CUBECAST_REASON_EMPTY;
    return cubecast_device_send_packet(device, CUBECAST_KIND_SUBCUBE, way, mask, data, words);
}

int cubecast_device_broadcast(const cubecast_device *device, const uint32_t *data, uint32_t words)
{
    return cubecast_device_send_subcube(device, device->address, CUBECAST_NODES - 1u, data, words);
}

int cubecast_device_send_bitmap(const cubecast_device *device, uint32_t r1, const uint32_t *bitmap,
                                const uint32_t *data, uint32_t words)
{
    uint32_t user = user_of(CUBECAST_KIND_BITMAP, r1, 0u);
    int status;
    if (r1 >= CUBECAST_NODES)
        return (int)CUBECAST_REASON_ADDRESS_BITS;
    if (words == 0u)
        return CUBECAST_DEVICE_NO_DATA;
    if (words >= CUBECAST_PACKET_LIMIT)
        return (int)CUBECAST_REASON_DATA_TOO_LONG;
    status = send_words(device, bitmap, 1u, user, 0);
    return status ? status : send_words(device, data, words, user, 1);
}
#endif

int cubecast_device_receive(const cubecast_device *device, uint32_t *data, uint32_t room, uint32_t *words)
{
    uint32_t word[CUBECAST_DEVICE_PARTS], user = 0u, i;
    int last = 0, bitmap = 0;
    *words = 0u;
    if (device->receive_word(device->stream, word, &user, &last) != 0)
        return CUBECAST_DEVICE_STREAM;
    if (last && (user & CUBECAST_DEVICE_RECEIVE_ERROR_MASK) != 0u)
        return CUBECAST_DEVICE_CUT_OFF;
#if CUBECAST_MULTICAST
    bitmap = (user & CUBECAST_DEVICE_RECEIVE_KIND_MASK) >> CUBECAST_DEVICE_RECEIVE_KIND_SHIFT == CUBECAST_KIND_BITMAP;
#endif
    if (!bitmap) {
        for (i = 0u; room > 0u && i < CUBECAST_DEVICE_PARTS; i++)
            data[i] = word[i];
        *words = 1u;
    }
    if (!last)
        return receive_words(device, data, room, words);
    return *words > room ? CUBECAST_DEVICE_LONGER : 0;
}
