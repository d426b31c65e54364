/* Before the guard, so that the header of another unit under this name is an error and not left out. */
#include "cubecast_device_regs.h"

#ifndef CUBECAST_DEVICE_H
#define CUBECAST_DEVICE_H

/* Registers and messages of a unit, for the processor beside it: C99 and C++, no heap, no operating system.
 *
 * A register NAME of the unit is read by get_name and, if it can be written, written by set_name; those of an array
 * take the place in it. Messages go as words over the unit's streams: how a processor reaches these is a
 * matter of the design, a FIFO or a DMA engine, so the program says it in two functions, send_word and receive_word.
 *
 * A word of WIDTH bits is CUBECAST_DEVICE_PARTS numbers of 32 bits, the lowest first; places, counts and room
 * are in words. A function that returns int returns 0 if all is well, a reason code (CUBECAST_REASON_...) if the unit
 * would report what is asked for, or one of CUBECAST_DEVICE_STREAM and below, unless its text says otherwise.
 */

#include <stdint.h>

/* Numbers of 32 bits that a word takes. */
#define CUBECAST_DEVICE_PARTS ((CUBECAST_REGS_WIDTH + 31u) / 32u)

/* A receive counts the words that came and found room, also before an end with STREAM or CUT_OFF; with LONGER it counts
 * all that came. */
#define CUBECAST_DEVICE_STREAM (-1) /* send_word or receive_word did not return 0 */
#define CUBECAST_DEVICE_CUT_OFF (-2) /* the message that came is not whole */
#define CUBECAST_DEVICE_LONGER (-3) /* the message that came is longer than the room; what was too much is lost */
#define CUBECAST_DEVICE_NO_DATA (-4) /* a message needs at least one word */
#define CUBECAST_DEVICE_REFUSED (-5) /* a register does not have what was written to it */
#define CUBECAST_DEVICE_BUSY (-6) /* an operation is still under way */

/* A unit; all of it is set by the program. */
typedef struct cubecast_device {
    volatile uint32_t *registers; /* register 0 */
    uint32_t address; /* of the node, as its strap says */
    int (*send_word)(void *stream, const uint32_t *word, uint32_t user, int last);
    int (*receive_word)(void *stream, uint32_t *word, uint32_t *user, int *last);
    void *stream; /* what these two get: whatever they need */
} cubecast_device;

/* send_word waits until the stream takes a word with tuser and tlast beside it, receive_word until one comes, and both
 * return 0; or they give up, and return another value. Neither is called by functions that are about registers alone.
 * What has begun on a stream goes on behind STREAM: before the next message is sent, a word with tlast has to end the
 * one that was begun, and before the next is received, words up to one with tlast have to be taken if any of the last
 * one was. So a receive_word that polls gives up before the first word of a message alone.
 * Registers are read and written by get and put; a program that reaches them in its own way defines
 * CUBECAST_DEVICE_ACCESS as the name of a header that has these two, quotation marks included. */
#ifdef CUBECAST_DEVICE_ACCESS
#include CUBECAST_DEVICE_ACCESS
#else

/* Return the register of a number. */
static inline uint32_t cubecast_device_get(const cubecast_device *device, uint32_t number)
{
    return device->registers[number];
}

/* Write it. */
static inline void cubecast_device_put(const cubecast_device *device, uint32_t number, uint32_t value)
{
    device->registers[number] = value;
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Fields of tuser. */
