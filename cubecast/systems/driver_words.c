/* Send words that are part of a message; last is 1 if it ends with them. */
static int send_words(const cubecast_device *device, const uint32_t *data, uint32_t words, uint32_t user, int last)
{
    uint32_t i;
    for (i = 0u; i < words; i++)
        if (device->send_word(device->stream, data + (size_t)i * CUBECAST_DEVICE_PARTS, user,
                              last && i + 1u == words) != 0)
            return CUBECAST_DEVICE_STREAM;
    return 0;
}

/* Return the status of a message that is not whole; of its words those count that have found room. */
static int broken_off(int status, uint32_t room, uint32_t *words)
{
    if (*words > room)
        *words = room;
    return status;
}

/* Receive what is left of a message behind so many words, into room for so many; words becomes their number. */
static int receive_words(const cubecast_device *device, uint32_t *data, uint32_t room, uint32_t *words)
{
    uint32_t spare[CUBECAST_DEVICE_PARTS], user = 0u;
    int last = 0;
    while (!last) {
        uint32_t *place = *words < room ? data + (size_t)*words * CUBECAST_DEVICE_PARTS : spare;
        if (device->receive_word(device->stream, place, &user, &last) != 0)
            return broken_off(CUBECAST_DEVICE_STREAM, room, words);
        if (last && (user & CUBECAST_DEVICE_RECEIVE_ERROR_MASK) != 0u)
            return broken_off(CUBECAST_DEVICE_CUT_OFF, room, words);
        ++*words;
    }
    return *words > room ? CUBECAST_DEVICE_LONGER : 0;
}
