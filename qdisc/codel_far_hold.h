/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Downstream: mark packets that leave, hear the acknowledgments, and hold packets back.
 */
#ifndef CODEL_FAR_HOLD_H
#define CODEL_FAR_HOLD_H

#include "codel_far_state.h"

/* At high rates, not every answer is parsed: one may count later by this part of a round trip. */
#define CODEL_FAR_DEAF_SHIFT	7

/* Downstream: an acknowledgment. Return whether a packet that was held back may leave. */
static inline bool codel_far_hear_down(struct codel_far *far, const struct codel_far_segment *seg,
				       u64 now)
{
	struct codel_far_match match;
	struct codel_far_answer answer = { .now = now };
	struct codel_far_window *w = &far->window;

	if (!seg->acks || !codel_far_marks_answer(&far->marks, &match, seg->key, seg->edge))
		return false;
	answer.path = &far->marks.flows[match.flow].path;
	answer.flow = match.flow;
	answer.arrived = atomic64_read(&far->arrived);
	answer.timed = match.timed;
	answer.single = match.advance <= w->packet && !seg->sacks;
	answer.stamped = seg->stamped;
	answer.stamp = seg->stamp;
	codel_far_answered(w, &match.mark, &answer);
	codel_far_count_delay(far, now, w->delay);
	WRITE_ONCE(far->deaf_until, now + (w->rtt >> CODEL_FAR_DEAF_SHIFT));
	WRITE_ONCE(far->ask_at, 0);
	if (!far->held || !codel_far_has_room(w, now))
		return false;
	far->held = false;
	return true;
}

/* Downstream: a packet that waits only for its time needs no answer. */
static inline void codel_far_hold(struct codel_far *far, u64 now)
{
	far->held = !codel_far_has_room(&far->window, now);
	WRITE_ONCE(far->ask_at, codel_far_ask_again(&far->window, now));
}

static noinline bool codel_far_holds_window(struct codel_far *far, u64 now, bool sparse)
{
	struct codel_far_window *w = &far->window;
	u64 released;
	bool holds;

	spin_lock(&far->lock);
	released = w->released;
	holds = !codel_far_may_send(w, now) && !(sparse && codel_far_may_send_sparse(w));
	far->releases += w->released != released;
	if (holds)
		codel_far_hold(far, now);
	spin_unlock(&far->lock);
	return holds;
}

/* Downstream, packets are held back until the far queue has room. */
static inline bool codel_far_is_downstream(struct Qdisc *sch)
{
	return codel_qdisc(sch)->config.bottleneck == CODEL_BOTTLENECK_DOWNSTREAM;
}

/**
 * codel_far_holds() - is the packet that is about to leave held back?
 * @sch: the qdisc, with a bottleneck downstream
 * @now: of this dequeue, ns
 * @sparse: it is of a sparse flow
 *
 * Return: true if so. The qdisc is asked again when it may leave.
 */
static inline bool codel_far_holds(struct Qdisc *sch, u64 now, bool sparse)
{
	struct codel_far *far = codel_qdisc(sch)->far;

	if (codel_far_is_open(&far->window, now))
		return false;
	if ((sparse || now >= READ_ONCE(far->ask_at)) &&
	    !codel_far_holds_window(far, now, sparse))
		return false;
	qdisc_qstats_overlimit(sch);
	qdisc_watchdog_schedule_ns(&codel_qdisc(sch)->watchdog, READ_ONCE(far->ask_at));
	return true;
}

static noinline void codel_far_mark_packet(struct codel_far *far, const struct sk_buff *skb,
					   u64 now)
{
	struct codel_far_segment seg;
	u32 place;

	if (!codel_far_parse(skb, false, false, &far->seed, &seg) || !codel_far_has_data(&seg))
		return;
	spin_lock(&far->lock);
	place = codel_far_flow_get(&far->marks, now, seg.key, seg.end - seg.syn - seg.len, true);
	if (place != CODEL_FAR_NONE && codel_far_flow_sends(&far->marks, place, seg.end))
		codel_far_ask(&far->window, codel_far_marks_add(&far->marks, place, seg.end), now);
	spin_unlock(&far->lock);
}

/*
 * Quanta of a turn. Receivers acknowledge every second packet at once, and a single one up to
 * CODEL_FAR_LATE later: downstream, a flow sends two packets in a row.
 */
static inline u32 codel_far_pairs(const struct codel_config *config)
{
	return config->bottleneck == CODEL_BOTTLENECK_DOWNSTREAM ? 2 : 1;
}

/* A packet leaves a qdisc with a bottleneck downstream. */
static inline void codel_far_left(struct Qdisc *sch, const struct sk_buff *skb, u64 now)
{
	struct codel_far *far = codel_qdisc(sch)->far;

	codel_far_sent(&far->window, now, min_t(u32, qdisc_pkt_len(skb), CODEL_FAR_PACKET_MAX));
	WRITE_ONCE(far->ask_at, 0);
	if (codel_far_wants_mark(&far->window))
		codel_far_mark_packet(far, skb, now);
}

#endif /* CODEL_FAR_HOLD_H */
