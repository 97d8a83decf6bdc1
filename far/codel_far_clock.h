/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The clock of another host, as its time stamps show it (RFC 7323, section 5.4). Its origin is not
 * known, so a time between the two hosts is a time above the least one. That is enough to tell a
 * queue on the way there from one on the way back, which a round trip has in one sum.
 */
#ifndef CODEL_FAR_CLOCK_H
#define CODEL_FAR_CLOCK_H

#include "../codel.h"

#ifndef __KERNEL__
#include <stddef.h>

typedef __s32 s32;

#define READ_ONCE(x)	(x)
#define WRITE_ONCE(x, v) ((x) = (v))
#endif

/* The tick is measured over this time at least, ns. */
#define CODEL_FAR_CLOCK_CHECK	(500 * 1000 * CODEL_NSEC_PER_USEC)

/* The tick until it has been measured, ns: that of Linux, Android, macOS and Windows */
#define CODEL_FAR_CLOCK_USUAL	(1000 * CODEL_NSEC_PER_USEC)

/* Added to a time between two hosts: without it, a difference of their origins were negative. */
#define CODEL_FAR_CLOCK_ORIGIN	0x4000000000000000ULL

/* The time from @then to @now; 0 if @then is later: clocks of two processors may differ */
static inline u64 codel_far_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

/**
 * struct codel_far_clock - the clock of another host
 * @at: the latest check, ns; 0 before the first stamp
 * @time: of the other clock then, ns, from an origin of its own
 * @stamp: then
 * @rtt: round trip then, ns
 * @tick: of its stamps, ns; 0 until it has been measured
 */
struct codel_far_clock {
	u64 at;
	u64 time;
	u64 rtt;
	u32 stamp;
	u32 tick;
};

/* @stamps of @tick may be a time of @least to @most ns, or a quarter of it less or more. */
static inline bool codel_far_clock_fits(u32 tick, u32 stamps, u64 least, u64 most)
{
	u64 time = (u64)stamps * tick;

	return tick && time >= least - least / 4 && time <= most + most / 4;
}

/*
 * Return the tick that fits. 1 ms is usual; Linux can have 1 us, and older systems 4 or 10 ms. The
 * round trip shows by how much a queue between the hosts has grown or shrunk in the meantime. 0:
 * none of them
 */
static inline u32 codel_far_clock_tick(u32 before, u32 stamps, u64 least, u64 most)
{
	const u32 ticks[] = { before, 1000000, 1000, 4000000, 10000000 };
	u32 i;

	for (i = 0; i < sizeof(ticks) / sizeof(*ticks); i++)
		if (codel_far_clock_fits(ticks[i], stamps, least, most))
			return ticks[i];
	return 0;
}

/* Measure the tick since the latest check. Return whether it is another one than before. */
static inline bool codel_far_clock_check(struct codel_far_clock *clock, u64 now, u32 stamp, u64 rtt)
{
	u64 elapsed = now - clock->at, grown = codel_far_since(rtt, clock->rtt);
	u64 shrunk = codel_far_since(clock->rtt, rtt);
	u32 stamps = stamp - clock->stamp, before = clock->tick;
	u32 tick = codel_far_clock_tick(before, stamps, codel_far_since(elapsed, grown),
					elapsed + shrunk);

	if (tick)
		clock->tick = tick;
	if (clock->tick) {
		clock->time += (u64)stamps * clock->tick;
		clock->at = now;
		clock->stamp = stamp;
		clock->rtt = rtt;
	}
	return before && clock->tick != before;
}

/**
 * codel_far_clock_read() - the time that a stamp stands for
 * @clock: of the host
 * @now: monotonic time at which the stamp is read, ns, above 0
 * @stamp: of the host
 * @rtt: round trip of the packet with the stamp, ns
 * @reset: set to true if earlier times cannot be compared with this one, otherwise kept
 *
 * A host that lies gets any time: see codel_far_path_way().
 *
 * Return: ns, from the host's origin.
 */
static inline u64 codel_far_clock_read(struct codel_far_clock *clock, u64 now, u32 stamp,
				       u64 rtt, bool *reset)
{
	if (!clock->at) {
		*clock = (struct codel_far_clock) {
			.at = now, .time = now, .stamp = stamp, .rtt = rtt,
		};
		*reset = true;
		return now;
	}
	if (now >= clock->at + CODEL_FAR_CLOCK_CHECK && (s32)(stamp - clock->stamp) > 0 &&
	    codel_far_clock_check(clock, now, stamp, rtt))
		*reset = true;
	return clock->time + (u64)(s32)(stamp - clock->stamp) *
			     (clock->tick ? clock->tick : CODEL_FAR_CLOCK_USUAL);
}

#endif /* CODEL_FAR_CLOCK_H */
