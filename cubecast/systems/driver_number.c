
/* Send a number as a word of a message. */
static int send_number(const cubecast_device *device, uint32_t number, uint32_t user, int last)
{
    uint32_t word[CUBECAST_DEVICE_PARTS] = {0u};
    word[0] = number;
    return send_words(device, word, 1u, user, last);
}
