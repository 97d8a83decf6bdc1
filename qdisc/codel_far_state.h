/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue in another device, as part of a qdisc. The arithmetic is in far/.
 *
 *	codel_far_parse.h	the numbers in a TCP segment
 *	codel_far_marks.h	packets that left, until their answers come
 *	codel_far_hold.h	downstream: packets that leave, and those that are held back
 *	codel_far_signal.h	upstream: packets that arrive
 *	codel_far_device.h	the device on which answers come in; begin and end
 *
 * The lock of struct codel_far is innermost: below the root lock in dequeue and enqueue, alone in
 * the receive path.
 */
#ifndef CODEL_FAR_STATE_H
#define CODEL_FAR_STATE_H

#include <linux/netdevice.h>
#include <net/pkt_sched.h>

#include "../far/codel_far_up.h"
#include "codel_far_parse.h"
#include "codel_queue.h"

/**
 * struct codel_far - the far queue of a qdisc
 * @lock: innermost; protects what is not said to be under RTNL
 * @sch: the qdisc
 * @answers: hears the packets that come in
 * @listens: @answers is registered; under RTNL
 * @list: in codel_far_list; under RTNL
 * @bottleneck: enum codel_bottleneck
 * @held: a packet waits for an answer, and none has let one leave since
 * @ask_at: nothing but a sparse flow may leave before, ns; 0 if that is not known
 * @deaf_until: answers are not looked at before, ns
 * @seed: of the flows' keys
 * @samples: answers to marks
 * @latest: the latest of them, ns
 * @releases: packets that left without an answer
 * @heard: segments that came in
 * @arrived: bytes that came in
 * @window: downstream
 * @up: upstream
 * @marks: without an answer
 * @delay: answers by delay in the far queue
 */
struct codel_far {
	spinlock_t lock; /* all that packets change */
	struct Qdisc *sch;
	struct packet_type answers;
	bool listens;
	struct list_head list;
	u8 bottleneck;
	bool held;
	struct codel_far_seed seed;
	u64 ask_at;
	u64 deaf_until;
	u64 samples;
	u64 latest;
	u64 releases;
	u64 heard;
	atomic64_t arrived;
	struct codel_far_window window;
	struct codel_far_up up;
	struct codel_far_marks marks;
	u32 delay[CODEL_FAR_DELAYS];
};

static_assert(sizeof(struct codel_far) <= SZ_32K);

static inline void codel_far_count_delay(struct codel_far *far, u64 now, u64 delay)
{
	u32 bucket = codel_delay_bucket(delay);

	far->latest = now;
	far->samples++;
	bucket = clamp_t(u32, bucket, CODEL_FAR_DELAY_FIRST,
			 CODEL_FAR_DELAY_FIRST + CODEL_FAR_DELAYS - 1);
	far->delay[bucket - CODEL_FAR_DELAY_FIRST]++;
}

/* What the core purged was not sent: the far queue goes on, and nothing is held. */
static inline void codel_far_reset(struct Qdisc *sch)
{
	struct codel_far *far = codel_qdisc(sch)->far;

	if (!far)
		return;
	spin_lock_bh(&far->lock);
	codel_far_window_start(&far->window, far->window.packet);
	codel_far_up_start(&far->up, far->window.packet);
	codel_far_marks_start(&far->marks);
	far->held = false;
	WRITE_ONCE(far->ask_at, 0);
	spin_unlock_bh(&far->lock);
}

/*
 * Put a prepared far queue in force, under the root lock. What the former one held may leave;
 * codel_far_finish() frees it.
 */
static inline void codel_far_apply(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	swap(c->far, c->far_next);
	if (c->far != c->far_next)
		qdisc_watchdog_schedule_ns(&c->watchdog, ktime_get_ns());
}

#endif /* CODEL_FAR_STATE_H */
