/* What each of four nodes runs: a message to a list, one to all, and what came, in the order of their sources. */
#include "cubecast_router.h"

/* Where things are: see node.v. */
static volatile uint32_t *const fifo = (volatile uint32_t *)0x10000000u;
static volatile uint32_t *const console = (volatile uint32_t *)0x20000000u;
static const volatile uint32_t *const node = (const volatile uint32_t *)0x30000000u;
static volatile uint32_t *const registers = (volatile uint32_t *)0x40000000u;

#define LISTED 3u /* words of a message to a list */
#define SPREAD 2u /* words of a message to all */

static int send_word(void *stream, const uint32_t *word, uint32_t user, int last)
{
    (void)stream;
    fifo[0] = word[0];
    fifo[1] = user << 1 | (uint32_t)last;
    return 0;
}

static int receive_word(void *stream, uint32_t *word, uint32_t *user, int *last)
{
    uint32_t beside;
    (void)stream;
    word[0] = fifo[2];
    beside = fifo[3];
    *user = beside >> 1;
    *last = (int)(beside & 1u);
    return 0;
}

static void print(const char *text)
{
    while (*text != '\0')
        console[0] = (uint32_t)(unsigned char)*text++;
}

/* Print a number, hexadecimal, without zeros before it, after a text. */
static void print_number(const char *text, uint32_t number)
{
    uint32_t shift = 28u;
    print(text);
    while (shift > 0u && number >> shift == 0u)
        shift -= 4u;
    for (;; shift -= 4u) {
        console[0] = (uint32_t)(unsigned char)"0123456789abcdef"[number >> shift & 15u];
        if (shift == 0u)
            return;
    }
}

static void print_words(const char *text, uint32_t source, const uint32_t *data, uint32_t words)
{
    uint32_t i;
    print_number("from ", source);
    print(text);
    for (i = 0u; i < words; i++)
        print_number(" ", data[i]);
    print("\n");
}

int main(void)
{
    uint32_t address = node[0], listed[LISTED], spread[SPREAD], list[2], data[LISTED], source, words, i;
    uint32_t from_list[CUBECAST_NODES][LISTED], from_all[CUBECAST_NODES][SPREAD];
    uint32_t by_list = 0u, to_all = 0u;
    cubecast_router router = {registers, address, send_word, receive_word, 0};
    cubecast_router_error error;

    if (cubecast_router_init(&router, 0u) != 0)
        return 1;

    /* The neighbour in dimension 0, and the node across. */
    list[0] = address ^ 1u;
    list[1] = address ^ 3u;
    for (i = 0u; i < LISTED; i++)
        listed[i] = address << 8 | 0x10u | i;
    for (i = 0u; i < SPREAD; i++)
        spread[i] = 0xa0000000u | address << 8 | i;
    if (cubecast_router_send(&router, list, 2u, listed, LISTED) != 0)
        return 2;
    if (cubecast_router_broadcast(&router, spread, SPREAD) != 0)
        return 3;
    /* The driver keeps back what the router would report. */
    list[1] = CUBECAST_NODES;
    if (cubecast_router_send(&router, list, 2u, listed, LISTED) != (int)CUBECAST_REASON_ADDRESS_BITS)
        return 4;

    /* Two messages by list, and one from each other node to all, in any order. */
    for (i = 0u; i < 2u + CUBECAST_NODES - 1u; i++) {
        uint32_t j, *place, *came;
        if (cubecast_router_receive(&router, &source, data, LISTED, &words) != 0 || source >= CUBECAST_NODES)
            return 5;
        place = words == LISTED ? from_list[source] : from_all[source];
        came = words == LISTED ? &by_list : &to_all;
        if ((words != LISTED && words != SPREAD) || (*came >> source & 1u) != 0u)
            return 6;
        *came |= 1u << source;
        for (j = 0u; j < words; j++)
            place[j] = data[j];
    }
    for (source = 0u; source < CUBECAST_NODES; source++) {
        if ((by_list >> source & 1u) != 0u)
            print_words(" by list:", source, from_list[source], LISTED);
        if ((to_all >> source & 1u) != 0u)
            print_words(" to all:", source, from_all[source], SPREAD);
    }

    /* Port n is the node's own. */
    print_number("messages sent ", cubecast_router_get_messages_in(&router, CUBECAST_DIM));
    print_number(", received ", cubecast_router_get_messages_out(&router, CUBECAST_DIM));
    print_number(", reports ", (uint32_t)cubecast_router_next_error(&router, &error));
    print("\n");
    return 0;
}
