/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A model of codel_shaper.h: packets put on the wire byte by byte, and times without rounding. */
#ifndef EXACT_H
#define EXACT_H

#include "codel_shaper.h"

typedef __int128 exact;

/* The longest packet that exact_wire() takes, overhead included */
#define EXACT_LENGTH_MAX	((1 << 20) + CODEL_OVERHEAD_MAX)

/* Return the bytes on the wire of a packet of @len bytes. */
u32 exact_wire(const struct codel_framing *framing, u32 len);

/* Return the time of @bytes at @rate bytes/s, in 1/256 ns, rounded down. */
exact exact_time(exact bytes, u64 rate);

/* The time of a clock, in 1/256 ns */
exact exact_now(const struct codel_clock *clock);

#endif /* EXACT_H */
