#include "cubecast_node.h"

/* Return the address in node memory of what a pointer points to. */
static uint32_t address_of(const cubecast_node *node, const void *pointer)
{
    return (uint32_t)((uintptr_t)pointer - node->origin);
}

/* Return 1 if bytes from a pointer on lie between two addresses, both included; bytes is not 0. */
static int inside(const cubecast_node *node, const void *pointer, size_t bytes, uint32_t first, uint32_t last)
{
    uintptr_t start = (uintptr_t)pointer - node->origin;
    return start >= first && start <= last && bytes - 1u <= last - start;
}

int cubecast_node_init(cubecast_node *node, void *memory, uint32_t bytes, void *buffers, uint32_t timeout)
{
    uint32_t first = address_of(node, memory), last = first + (bytes - 1u);
    uint32_t base = CUBECAST_NODE_BUFFERS ? address_of(node, buffers) : first;
    if (bytes == 0u || last < first || !inside(node, memory, bytes, 0u, UINT32_MAX))
        return (int)CUBECAST_NODE_STATUS_BAD_BLOCK;
    if (CUBECAST_NODE_BUFFERS &&
        (base % 4u != 0u ||
         !inside(node, buffers, (size_t)CUBECAST_NODE_BUFFERS * CUBECAST_NODE_BUFFER_BYTES, first, last)))
        return (int)CUBECAST_NODE_STATUS_BAD_BUFFER;
    cubecast_node_put(node, CUBECAST_NODE_MEMORY_FIRST_WORD, first);
    cubecast_node_put(node, CUBECAST_NODE_MEMORY_LAST_WORD, last);
    cubecast_node_put(node, CUBECAST_NODE_BUFFERS_WORD, base);
    cubecast_node_put(node, CUBECAST_NODE_TIMEOUT_WORD, timeout);
    cubecast_node_put(node, CUBECAST_NODE_IRQ_ENABLE_WORD, 0u);
    cubecast_node_put(node, CUBECAST_NODE_IRQ_STATUS_WORD, UINT32_MAX);
    cubecast_node_put(node, CUBECAST_NODE_ENABLE_WORD, 1u);
    if (cubecast_node_get(node, CUBECAST_NODE_MEMORY_FIRST_WORD) != first ||
        cubecast_node_get(node, CUBECAST_NODE_MEMORY_LAST_WORD) != last ||
        cubecast_node_get(node, CUBECAST_NODE_BUFFERS_WORD) != base ||
        cubecast_node_get(node, CUBECAST_NODE_TIMEOUT_WORD) != timeout)
        return (int)CUBECAST_NODE_STATUS_BUSY;
    node->first = first;
    node->last = last;
    return (int)CUBECAST_NODE_STATUS_OK;
}

void cubecast_node_clear(const cubecast_node *node, cubecast_node_block *block)
{
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_FLAG], CUBECAST_NODE_COMPLETION_COMPLETE);
}

/* Return the field COMPLETION of a block. */
static uint32_t completion(const cubecast_node *node, const cubecast_node_block *block)
{
    return cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_FLAG]) & CUBECAST_NODE_BLOCK_FLAG_COMPLETION_MASK;
}

/* Return whether a block may be filled. */
static int usable(const cubecast_node *node, const cubecast_node_block *block, size_t bytes)
{
    if (address_of(node, block) % CUBECAST_NODE_BLOCK_ALIGN != 0u ||
        !inside(node, block, bytes, node->first, node->last))
        return (int)CUBECAST_NODE_STATUS_BAD_BLOCK;
    if (completion(node, block) != CUBECAST_NODE_COMPLETION_COMPLETE)
        return (int)CUBECAST_NODE_STATUS_BUSY;
    return (int)CUBECAST_NODE_STATUS_OK;
}

/* Return 1 if 32 bits of address are enough for what a pointer points to. */
static int addressed(const cubecast_node *node, const void *pointer)
{
    return inside(node, pointer, 1u, 0u, UINT32_MAX);
}

/* Fill a block, and ring its doorbell. */
static int begin(const cubecast_node *node, cubecast_node_block *block, uint32_t instruction, uint32_t partner,
                 uint32_t type, uint32_t bytes, const void *data)
{
    if (!addressed(node, data) && (data || bytes != 0u))
        return (int)CUBECAST_NODE_STATUS_BAD_BUFFER;
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_PARTNER], partner);
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_TYPE], type);
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_LENGTH], bytes);
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_BUFFER], address_of(node, data));
    cubecast_node_store(node, &block->word[CUBECAST_NODE_BLOCK_FLAG], CUBECAST_NODE_COMPLETION_WAITING);
    cubecast_node_put(node, CUBECAST_NODE_PLACES_WORD(instruction), address_of(node, block));
    return (int)CUBECAST_NODE_STATUS_OK;
}

int cubecast_node_isend(const cubecast_node *node, cubecast_node_block *block, uint32_t destination, uint32_t type,
                        const void *data, uint32_t bytes)
{
    int status = usable(node, block, sizeof *block);
    return status ? status : begin(node, block, CUBECAST_NODE_DOORBELL_SEND, destination, type, bytes, data);
}

int cubecast_node_ibroadcast(const cubecast_node *node, cubecast_node_block *block, uint32_t type, const void *data,
                             uint32_t bytes)
{
    int status = usable(node, block, sizeof *block);
    return status ? status : begin(node, block, CUBECAST_NODE_DOORBELL_BROADCAST, 0u, type, bytes, data);
}

int cubecast_node_ineighbours(const cubecast_node *node, cubecast_node_list *list, const uint32_t *destinations,
                              uint32_t count, uint32_t type, const void *data, uint32_t bytes)
{
    int status = usable(node, &list->block, sizeof list->block + 8u * (size_t)CUBECAST_NODE_DIM);
    uint32_t i;
    if (status != 0)
        return status;
    if (count > CUBECAST_NODE_DIM)
        return (int)CUBECAST_NODE_STATUS_BAD_LIST;
    for (i = 0u; i < count; i++)
        cubecast_node_store(node, &list->part[2u * i], destinations[i]);
    return begin(node, &list->block, CUBECAST_NODE_DOORBELL_NEIGHBOURS, count, type, bytes, data);
}

int cubecast_node_irecv(const cubecast_node *node, cubecast_node_block *block, uint32_t source, uint32_t type,
                        void *buffer, uint32_t room)
{
    int status = usable(node, block, sizeof *block);
    /* Address 0 asks for a system buffer. */
    const void *place = buffer ? buffer : (const void *)node->origin;
    if (status != 0)
        return status;
    if (buffer && address_of(node, buffer) == 0u)
        return (int)CUBECAST_NODE_STATUS_BAD_BUFFER;
    return begin(node, block, CUBECAST_NODE_DOORBELL_RECEIVE, source, type, buffer ? room : 0u, place);
}

int cubecast_node_send(const cubecast_node *node, cubecast_node_block *block, uint32_t destination, uint32_t type,
                       const void *data, uint32_t bytes)
{
    int status = cubecast_node_isend(node, block, destination, type, data, bytes);
    return status ? status : cubecast_node_wait(node, block);
}

int cubecast_node_broadcast(const cubecast_node *node, cubecast_node_block *block, uint32_t type, const void *data,
                            uint32_t bytes)
{
    int status = cubecast_node_ibroadcast(node, block, type, data, bytes);
    return status ? status : cubecast_node_wait(node, block);
}

int cubecast_node_neighbours(const cubecast_node *node, cubecast_node_list *list, const uint32_t *destinations,
                             uint32_t count, uint32_t type, const void *data, uint32_t bytes)
{
    int status = cubecast_node_ineighbours(node, list, destinations, count, type, data, bytes);
    return status ? status : cubecast_node_wait(node, &list->block);
}

int cubecast_node_recv(const cubecast_node *node, cubecast_node_block *block, uint32_t source, uint32_t type,
                       void *buffer, uint32_t room)
{
    int status = cubecast_node_irecv(node, block, source, type, buffer, room);
    return status ? status : cubecast_node_wait(node, block);
}

int cubecast_node_test(const cubecast_node *node, const cubecast_node_block *block)
{
    if (completion(node, block) != CUBECAST_NODE_COMPLETION_COMPLETE)
        return 0;
    cubecast_node_arrived(node);
    return 1;
}

int cubecast_node_started(const cubecast_node *node, const cubecast_node_block *block)
{
    if (completion(node, block) == CUBECAST_NODE_COMPLETION_WAITING)
        return 0;
    cubecast_node_arrived(node);
    return 1;
}

int cubecast_node_wait(const cubecast_node *node, const cubecast_node_block *block)
{
    uint32_t flag;
    while (!cubecast_node_test(node, block))
        continue;
    flag = cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_FLAG]);
    return (int)((flag & CUBECAST_NODE_BLOCK_FLAG_STATUS_MASK) >> CUBECAST_NODE_BLOCK_FLAG_STATUS_SHIFT);
}

uint32_t cubecast_node_source(const cubecast_node *node, const cubecast_node_block *block)
{
    return cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_PARTNER]) & CUBECAST_NODE_BLOCK_PARTNER_NODE_MASK;
}

uint32_t cubecast_node_type(const cubecast_node *node, const cubecast_node_block *block)
{
    return cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_TYPE]) & CUBECAST_NODE_BLOCK_TYPE_TYPE_MASK;
}

uint32_t cubecast_node_length(const cubecast_node *node, const cubecast_node_block *block)
{
    return cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_LENGTH]) & CUBECAST_NODE_BLOCK_LENGTH_LENGTH_MASK;
}

void *cubecast_node_data(const cubecast_node *node, const cubecast_node_block *block)
{
    return (void *)(node->origin + cubecast_node_load(node, &block->word[CUBECAST_NODE_BLOCK_BUFFER]));
}

int cubecast_node_release(const cubecast_node *node, const void *buffer)
{
    if (!addressed(node, buffer))
        return (int)CUBECAST_NODE_STATUS_BAD_RELEASE;
    cubecast_node_put(node, CUBECAST_NODE_PLACES_WORD(CUBECAST_NODE_DOORBELL_RELEASE), address_of(node, buffer));
    return (int)CUBECAST_NODE_STATUS_OK;
}

uint32_t cubecast_node_places(const cubecast_node *node)
{
    return cubecast_node_get(node, CUBECAST_NODE_PLACES_WORD(0u));
}

void cubecast_node_enable(const cubecast_node *node, uint32_t reasons)
{
    cubecast_node_put(node, CUBECAST_NODE_IRQ_ENABLE_WORD, reasons);
}

uint32_t cubecast_node_pending(const cubecast_node *node)
{
    return cubecast_node_get(node, CUBECAST_NODE_IRQ_STATUS_WORD);
}

void cubecast_node_acknowledge(const cubecast_node *node, uint32_t reasons)
{
    cubecast_node_put(node, CUBECAST_NODE_IRQ_STATUS_WORD, reasons);
}

int cubecast_node_next_event(const cubecast_node *node, cubecast_node_event *event)
{
    uint32_t word = cubecast_node_get(node, CUBECAST_NODE_EVENT_WORD);
    if (!(word & CUBECAST_NODE_EVENT_VALID_MASK))
        return 0;
    event->reason = (word & CUBECAST_NODE_EVENT_REASON_MASK) >> CUBECAST_NODE_EVENT_REASON_SHIFT;
    event->status = (word & CUBECAST_NODE_EVENT_STATUS_MASK) >> CUBECAST_NODE_EVENT_STATUS_SHIFT;
    event->source = (word & CUBECAST_NODE_EVENT_SOURCE_MASK) >> CUBECAST_NODE_EVENT_SOURCE_SHIFT;
    event->value = cubecast_node_get(node, CUBECAST_NODE_EVENT_VALUE_WORD);
    cubecast_node_put(node, CUBECAST_NODE_EVENT_WORD, 0u);
    return 1;
}

uint32_t cubecast_node_events_lost(const cubecast_node *node)
{
    return cubecast_node_get(node, CUBECAST_NODE_EVENTS_LOST_WORD);
}
