/* Accesses of the C library on the machine that runs the tests: each is a call of the model of a processor. */
struct host {
    uint32_t (*get)(const void *registers, uint32_t number);
    void (*put)(const void *registers, uint32_t number, uint32_t value);
    uint32_t (*load)(const void *registers, const void *word);
    void (*store)(const void *registers, void *word, uint32_t value);
};

struct host host;

static inline uint32_t cubecast_node_get(const cubecast_node *node, uint32_t number)
{
    return host.get((const void *)node->registers, number);
}

static inline void cubecast_node_put(const cubecast_node *node, uint32_t number, uint32_t value)
{
    host.put((const void *)node->registers, number, value);
}

static inline uint32_t cubecast_node_load(const cubecast_node *node, const uint32_t *word)
{
    return host.load((const void *)node->registers, word);
}

static inline void cubecast_node_store(const cubecast_node *node, uint32_t *word, uint32_t value)
{
    host.store((const void *)node->registers, word, value);
}

static inline void cubecast_node_arrived(const cubecast_node *node)
{
    (void)node;
}
