/* Before the guard, so that the header of another unit under this name is an error and not left out. */
#include "cubecast_node_regs.h"

#ifndef CUBECAST_NODE_H
#define CUBECAST_NODE_H

/* Messages between the nodes of a cube: what a node's processor asks its node interface for.
 *
 * Who calls owns all memory: header blocks and buffers lie in node memory, the part of the memory that init is told of.
 * From a call until its message is complete, neither block nor buffer is touched by who called. A function whose name
 * begins with i returns at once, and its block stands for what was begun; test, started and wait ask for it. A function
 * that returns int returns one of CUBECAST_NODE_STATUS_..., 0 if all is well, unless its text says otherwise.
 *
 * Registers and memory are accessed through the functions of section "Accesses" alone. A program that needs others
 * defines CUBECAST_NODE_ACCESS as the name of a header that has them, quotation marks included.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define CUBECAST_NODE_ALIGNED __attribute__((aligned(CUBECAST_NODE_BLOCK_ALIGN)))
#else
#define CUBECAST_NODE_ALIGNED
#endif

/* Source and type of a receive that takes any: of user types, or of system types, which have bit 15. */
#define CUBECAST_NODE_ANY_SOURCE CUBECAST_NODE_BLOCK_PARTNER_ANY_MASK
#define CUBECAST_NODE_ANY_TYPE CUBECAST_NODE_BLOCK_TYPE_ANY_MASK
#define CUBECAST_NODE_ANY_SYSTEM_TYPE (CUBECAST_NODE_BLOCK_TYPE_ANY_MASK | 0x8000u)

/* A header block, in node memory and aligned to CUBECAST_NODE_BLOCK_ALIGN bytes. It is free while its field COMPLETION
 * is 3, and begins so: with CUBECAST_NODE_FREE, or with a call of clear. The word USER is the caller's own. */
typedef struct cubecast_node_block {
    uint32_t word[8];
} CUBECAST_NODE_ALIGNED cubecast_node_block;

#define CUBECAST_NODE_FREE {{0u, 0u, 0u, 0u, 0u, CUBECAST_NODE_COMPLETION_COMPLETE, 0u, 0u}}

/* The block of a message to neighbours, with its list behind it; .block is what test, started and wait take. */
typedef struct cubecast_node_list {
    cubecast_node_block block;
    uint32_t part[2u * CUBECAST_NODE_DIM];
} cubecast_node_list;

#define CUBECAST_NODE_FREE_LIST {CUBECAST_NODE_FREE, {0u}}

/* A node interface. The program sets registers and origin; init sets the rest. */
typedef struct cubecast_node {
    volatile uint32_t *registers; /* register 0 of the node, which is the first of its router */
    uintptr_t origin; /* what a pointer is more than its address in node memory: 0 unless memory is mapped elsewhere */
    uint32_t first, last; /* addresses of the first and the last byte of node memory */
} cubecast_node;

/* What the event log says. */
typedef struct cubecast_node_event {
    uint32_t reason; /* one of CUBECAST_NODE_IRQ_... */
    uint32_t status; /* one of CUBECAST_NODE_STATUS_... */
    uint32_t source; /* source of the message */
    uint32_t value; /* address of the block or of the byte, or type of the system message */
} cubecast_node_event;

/* Accesses */

#ifdef CUBECAST_NODE_ACCESS
#include CUBECAST_NODE_ACCESS
#else

/* Return a register. */
static inline uint32_t cubecast_node_get(const cubecast_node *node, uint32_t number)
{
    return node->registers[number];
}

/* Write a register; everything that was written to memory before is there before. */
static inline void cubecast_node_put(const cubecast_node *node, uint32_t number, uint32_t value)
{
#if defined(__riscv)
    __asm__ volatile("fence iorw, iorw" ::: "memory");
#elif defined(__GNUC__)
    __sync_synchronize();
#endif
    node->registers[number] = value;
}

/* Return a word of a block. */
static inline uint32_t cubecast_node_load(const cubecast_node *node, const uint32_t *word)
{
    (void)node;
    return *(const volatile uint32_t *)word;
}

/* Write a word of a block. */
static inline void cubecast_node_store(const cubecast_node *node, uint32_t *word, uint32_t value)
{
    (void)node;
    *(volatile uint32_t *)word = value;
}

/* Nothing that is read from memory after this was read before. */
static inline void cubecast_node_arrived(const cubecast_node *node)
{
    (void)node;
#if defined(__GNUC__)
    __sync_synchronize();
#endif
}

#endif

/* Set the node up and enable its interface: node memory is bytes from memory on, the system buffers lie in it from
 * buffers on (CUBECAST_NODE_BUFFERS of CUBECAST_NODE_BUFFER_BYTES each; with none of them buffers is not looked at),
 * and an offer is given up after timeout times 1024 cycles, 0: never. Interrupts that are pending are cleared, none is
 * enabled. BAD_BLOCK: memory does not fit 32 bits of address; BAD_BUFFER: the buffers are not inside, or not 4-byte
 * aligned; BUSY: the interface has been enabled with other settings, which a reset alone clears. */
int cubecast_node_init(cubecast_node *node, void *memory, uint32_t bytes, void *buffers, uint32_t timeout);

/* Make a block free whose memory holds anything. It must not be in use. */
void cubecast_node_clear(const cubecast_node *node, cubecast_node_block *block);

/* Send bytes from data on to a node, to all others, or to some neighbours. The first status of these that applies is
 * returned, and nothing is begun: BAD_BLOCK, the block is not aligned or not in node memory; BUSY, it is not free;
 * BAD_LIST, more neighbours than a node has; BAD_BUFFER, data has no address of 32 bits, and is not a null pointer with
 * 0 bytes. All else is found by the interface, and is the status of the block. */
int cubecast_node_isend(const cubecast_node *node, cubecast_node_block *block, uint32_t destination, uint32_t type,
                        const void *data, uint32_t bytes);
int cubecast_node_ibroadcast(const cubecast_node *node, cubecast_node_block *block, uint32_t type, const void *data,
                             uint32_t bytes);
int cubecast_node_ineighbours(const cubecast_node *node, cubecast_node_list *list, const uint32_t *destinations,
                              uint32_t count, uint32_t type, const void *data, uint32_t bytes);

/* Receive a message of a source and a type into room bytes from buffer on; with a null pointer into a system buffer,
 * which is given back with release. A buffer at address 0 of node memory, which would ask for a system buffer, is
 * refused as BAD_BUFFER. Returned as by isend. */
int cubecast_node_irecv(const cubecast_node *node, cubecast_node_block *block, uint32_t source, uint32_t type,
                        void *buffer, uint32_t room);

/* The same, and wait: return the status of the block. */
int cubecast_node_send(const cubecast_node *node, cubecast_node_block *block, uint32_t destination, uint32_t type,
                       const void *data, uint32_t bytes);
int cubecast_node_broadcast(const cubecast_node *node, cubecast_node_block *block, uint32_t type, const void *data,
                            uint32_t bytes);
int cubecast_node_neighbours(const cubecast_node *node, cubecast_node_list *list, const uint32_t *destinations,
                             uint32_t count, uint32_t type, const void *data, uint32_t bytes);
int cubecast_node_recv(const cubecast_node *node, cubecast_node_block *block, uint32_t source, uint32_t type,
                       void *buffer, uint32_t room);

/* Return 1 if a block is complete, else 0. */
int cubecast_node_test(const cubecast_node *node, const cubecast_node_block *block);

/* Return 1 if a block is in progress or complete, else 0. A receive in progress may be read, and what is still to come
 * raises EARLY_READ. */
int cubecast_node_started(const cubecast_node *node, const cubecast_node_block *block);

/* Wait until a block is complete; return its status. */
int cubecast_node_wait(const cubecast_node *node, const cubecast_node_block *block);

/* Of a receive that is complete, or in progress: source, type and length of its message, which may be more than there
 * was room for, and where its bytes are. */
uint32_t cubecast_node_source(const cubecast_node *node, const cubecast_node_block *block);
uint32_t cubecast_node_type(const cubecast_node *node, const cubecast_node_block *block);
uint32_t cubecast_node_length(const cubecast_node *node, const cubecast_node_block *block);
void *cubecast_node_data(const cubecast_node *node, const cubecast_node_block *block);

/* Give a system buffer back. One that is not lent is an event, BAD_OPERAND with BAD_RELEASE; BAD_RELEASE is returned,
 * and nothing is given back, where buffer has no address of 32 bits. */
int cubecast_node_release(const cubecast_node *node, const void *buffer);

/* Return how many calls that begin something are taken without waiting. */
uint32_t cubecast_node_places(const cubecast_node *node);

/* Enable the reasons, bits 1 << CUBECAST_NODE_IRQ_..., and no others; return those that are pending; clear some. */
void cubecast_node_enable(const cubecast_node *node, uint32_t reasons);
uint32_t cubecast_node_pending(const cubecast_node *node);
void cubecast_node_acknowledge(const cubecast_node *node, uint32_t reasons);

/* Take the oldest event: return 1 and set it, or return 0 if there is none. Two accesses read an event and a third one
 * removes it, so a handler must not call this in the middle of a call of the program, nor one processor in that of
 * another one. */
int cubecast_node_next_event(const cubecast_node *node, cubecast_node_event *event);

/* Return how many events found no room in the log. */
uint32_t cubecast_node_events_lost(const cubecast_node *node);

#endif
