/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The arithmetic of a shaper: the length of a packet on the wire, the time that the link takes
 * for it, and when the next packet may leave. As codel.h, it has no packets and no timer.
 *
 * The shaper is a virtual clock: the time at which the link has sent all packets that have left
 * so far. A packet leaves once that time has come, and moves it on by its own time on the link.
 * So there is no bucket of tokens, and no burst that would have to be chosen.
 */
#ifndef CODEL_SHAPER_H
#define CODEL_SHAPER_H

#include "codel.h"
#include "uapi/codel_uapi.h"

#ifndef __KERNEL__
typedef __s32 s32;
typedef __s64 s64;

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	return (__uint128_t)a * mul / div;
}
#endif

#define CODEL_NSEC_PER_SEC	1000000000ULL

/* Limits of the options: bytes/s and bytes. Those of bytes are the same as of sch_cake */
#define CODEL_RATE_MIN		1ULL
#define CODEL_RATE_MAX		125000000000ULL
#define CODEL_OVERHEAD_MIN	(-64)
#define CODEL_OVERHEAD_MAX	256
#define CODEL_MPU_MAX		256

/* ATM sends 48 bytes in a cell of 53; PTM sends 64 bytes in 65 */
#define CODEL_ATM_PAYLOAD	48
#define CODEL_ATM_CELL		53
#define CODEL_PTM_PAYLOAD	64

/*
 * A link with a queue is not idle, so the time by which a timer is late is not lost, if it is
 * no more than this. A pause of the device or the processor is longer: what it would have sent
 * meanwhile must not follow at once.
 */
#define CODEL_SHAPER_LATE_MAX	(10 * 1000 * CODEL_NSEC_PER_USEC)

/* Packets that are dropped may delay others for this long, ns */
#define CODEL_SHAPER_OWED_MAX	(100 * 1000 * CODEL_NSEC_PER_USEC)

/* The longest packet, with cells, is shorter, bytes */
#define CODEL_WIRE_MAX		(32U << 20)

/* The longest interval, ns */
#define CODEL_INTERVAL_MAX	(8ULL << 40)

/* A super-packet is split if it would hold the link for longer than this */
#define CODEL_SPLIT_BYTES	65536
#define CODEL_SPLIT_TIME	(1000 * CODEL_NSEC_PER_USEC)

/**
 * struct codel_framing - what a link adds to a packet
 * @overhead: bytes added to the packet, CODEL_OVERHEAD_MIN to CODEL_OVERHEAD_MAX
 * @mpu: least bytes of a packet with its overhead, 0 to CODEL_MPU_MAX
 * @cells: enum codel_cells
 */
struct codel_framing {
	s32 overhead;
	u32 mpu;
	u8 cells;
};

/**
 * codel_wire_length() - the length of a packet on the wire
 * @framing: of the link
 * @len: bytes of the packet, 2^30 at most
 *
 * Return: bytes.
 */
static inline u32 codel_wire_length(const struct codel_framing *framing, u32 len)
{
	s32 size = (s32)len + framing->overhead;

	if (size < (s32)framing->mpu)
		size = framing->mpu;
	if (__builtin_expect(!framing->cells, 1))
		return size;
	if (framing->cells == CODEL_CELLS_PTM)
		return size + (u32)(size + CODEL_PTM_PAYLOAD - 1) / CODEL_PTM_PAYLOAD;
	return (u32)(size + CODEL_ATM_PAYLOAD - 1) / CODEL_ATM_PAYLOAD * CODEL_ATM_CELL;
}

/**
 * struct codel_shape - what the operator sets
 * @rate: bytes/s, CODEL_RATE_MIN to CODEL_RATE_MAX; 0 for no shaper
 * @framing: of the link
 * @has_overhead: @framing.overhead is added to the network layer packet, and otherwise is 0 and
 *	added to the length that the kernel counts
 * @framed: packets have another length on the wire: an overhead, an mpu or cells are set
 * @ingress: packets have crossed the link before they arrive
 * @split: segment super-packets before they are queued
 * @split_set: @split is the operator's, not the default for @rate
 * @shared: the qdiscs of the device that say so have @rate together
 */
struct codel_shape {
	u64 rate;
	struct codel_framing framing;
	bool has_overhead;
	bool framed;
	bool ingress;
	bool split;
	bool split_set;
	bool shared;
};

/**
 * struct codel_pace - a rate, as the time of a byte
 * @byte_time: less than 2^39, so that the time of CODEL_WIRE_MAX bytes has 64 bits;
 *	1/256 ns, shifted to the left by @shift
 * @shift: 1 to 24
 */
struct codel_pace {
	u64 byte_time;
	u8 shift;
};

/**
 * codel_pace_set() - prepare the division by a rate
 * @pace: written
 * @rate: bytes/s, CODEL_RATE_MIN to CODEL_RATE_MAX
 */
static inline void codel_pace_set(struct codel_pace *pace, u64 rate)
{
	u64 time = div64_u64(CODEL_NSEC_PER_SEC << 32, rate);
	int spare = fls64(time) - 39;

	if (spare < 0)
		spare = 0;
	pace->byte_time = time >> spare;
	pace->shift = 32 - 8 - spare;
}

/**
 * codel_pace_time() - the time that the link takes for a packet
 * @pace: of the link
 * @wire: bytes, CODEL_WIRE_MAX at most
 *
 * Right to 10^-7 at every rate, and cut to 1/256 ns.
 *
 * Return: 1/256 ns.
 */
static inline u64 codel_pace_time(const struct codel_pace *pace, u32 wire)
{
	return pace->byte_time * wire >> (pace->shift & 63);
}

/**
 * struct codel_clock - the virtual clock of a link; all zero at first
 * @next: when the link has sent what it was given, and the next packet may leave, ns
 * @late_max: how late the next packet may be without a loss for the link, ns;
 *	0 if nothing has waited since the last packet left, otherwise CODEL_SHAPER_LATE_MAX
 * @settled: when a link that sends nothing has made up for the packets that were dropped after
 *	they had crossed it, ns; not after @next if nothing is owed
 * @fraction: of a nanosecond that @next leaves out, 1/256 ns
 */
struct codel_clock {
	u64 next;
	u64 late_max;
	u64 settled;
	u8 fraction;
};

/* Time on the link of packets that were dropped after they had crossed it, ns */
static inline u64 codel_clock_owed(const struct codel_clock *clock)
{
	return clock->settled > clock->next ? clock->settled - clock->next : 0;
}

/* A packet waits, or none has waited since the last one left. */
static inline void codel_clock_wait(struct codel_clock *clock, bool waits)
{
	clock->late_max = waits ? CODEL_SHAPER_LATE_MAX : 0;
}

/**
 * codel_clock_is_due() - may a packet leave?
 * @clock: of the link
 * @now: monotonic time, ns
 *
 * A link that was idle gains nothing from that: its time begins now, and it has made up for
 * dropped packets. A link with a queue does not lose the time by which the packet is late.
 *
 * Return: true if the link is free.
 */
static inline bool codel_clock_is_due(struct codel_clock *clock, u64 now)
{
	s64 begin = (s64)now - (s64)clock->late_max;
	s64 next = clock->next;

	if (now < clock->next)
		return false;
	clock->next = begin > next ? begin : next;
	return true;
}

/*
 * A packet that takes @time pays for packets that were dropped as much again. So a flood leaves
 * half of the rate. Return: what it takes and pays, ns.
 */
static inline u64 codel_clock_pay(struct codel_clock *clock, u64 time)
{
	u64 owed = codel_clock_owed(clock);

	clock->settled += time;
	return time + (time < owed ? time : owed);
}

/**
 * codel_clock_send() - a packet leaves
 * @clock: of the link, which is free: codel_clock_is_due() has said so
 * @pace: rate of the link
 * @wire: bytes of the packet on the wire
 * @last: no other packet waits
 */
static inline void codel_clock_send(struct codel_clock *clock, const struct codel_pace *pace,
				    u32 wire, bool last)
{
	u64 fine = codel_pace_time(pace, wire) + clock->fraction;
	u64 time = fine >> 8;

	if (__builtin_expect(clock->settled > clock->next, 0))
		time = codel_clock_pay(clock, time);
	clock->next += time;
	clock->fraction = fine;
	codel_clock_wait(clock, !last);
}

/**
 * codel_clock_drop() - a packet that has crossed the link is dropped
 * @clock: of the link
 * @pace: rate of the link
 * @wire: bytes of the packet on the wire
 *
 * The packets that leave next pay for its time on the link, up to CODEL_SHAPER_OWED_MAX.
 */
static inline void codel_clock_drop(struct codel_clock *clock, const struct codel_pace *pace,
				    u32 wire)
{
	u64 owed = codel_clock_owed(clock) + (codel_pace_time(pace, wire) >> 8);

	if (owed > CODEL_SHAPER_OWED_MAX)
		owed = CODEL_SHAPER_OWED_MAX;
	clock->settled = clock->next + owed;
}

/**
 * codel_clock_change() - what is on the link goes on at another rate
 * @clock: of the link
 * @now: as for codel_clock_is_due()
 * @from: bytes/s until now
 * @to: bytes/s from now on
 *
 * The time that is left is scaled, to the ns: bytes would be too coarse for a slow link whose
 * rate changes often. It is cut to that of CODEL_WIRE_MAX, so that nothing
 * overflows.
 */
static inline void codel_clock_change(struct codel_clock *clock, u64 now, u64 from, u64 to)
{
	u64 most = div64_u64(CODEL_WIRE_MAX * CODEL_NSEC_PER_SEC, from);
	u64 owed = codel_clock_owed(clock);
	u64 left;

	if (clock->next <= now)
		return;
	left = clock->next - now < most ? clock->next - now : most;
	clock->next = now + mul_u64_u64_div_u64(left, from, to);
	clock->settled = clock->next + owed;
}

/**
 * codel_slow_target() - the target that a slow link needs
 * @params: target and interval as the operator set them; out: as they are in force
 * @pace: rate of the link
 * @packet: bytes of a full packet on the wire, 2/3 of CODEL_WIRE_MAX at most
 *
 * While a full packet is being sent, the next one waits for nothing else, and no sender can
 * shorten that. So the target is at least 1.5 packets, and the interval longer by the same time
 * (RFC 8290, section 5.2.2).
 */
static inline void codel_slow_target(struct codel_params *params, const struct codel_pace *pace,
				     u32 packet)
{
	u64 least = codel_pace_time(pace, packet + packet / 2) >> 8;

	if (least > CODEL_INTERVAL_MAX / 2)
		least = CODEL_INTERVAL_MAX / 2;
	if (least <= params->target)
		return;
	params->interval += least - params->target;
	if (params->interval > CODEL_INTERVAL_MAX)
		params->interval = CODEL_INTERVAL_MAX;
	params->target = least;
}

#endif /* CODEL_SHAPER_H */
