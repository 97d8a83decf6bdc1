/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Upstream: mark what goes to the senders, and signal the packets that arrive. A mark is a time
 * stamp, which packets echo. Without time stamps it is data, such as a request, which packets
 * acknowledge.
 */
#ifndef CODEL_FAR_SIGNAL_H
#define CODEL_FAR_SIGNAL_H

#include "codel_far_state.h"
#include "codel_mark.h"

/*
 * The numbers of both kinds have nothing in common, and a SYN may have a time stamp where no other
 * packet has one.
 */
static inline u32 codel_far_up_key(const struct codel_far_segment *seg)
{
	return seg->stamped ? seg->key : ~seg->key;
}

/* Upstream: a segment goes to the sender. */
static inline void codel_far_hear_up(struct codel_far *far, const struct codel_far_segment *seg,
				     u64 now)
{
	if (seg->stamped || codel_far_has_data(seg))
		codel_far_marks_stamp(&far->marks, &far->up, now, codel_far_up_key(seg),
				      seg->stamped ? seg->stamp : seg->end);
}

/*
 * A packet may be an answer. An acknowledgment may have waited for data, since the packet before:
 * without data, it shows nothing. Return true if its flow is to slow down, whatever the delay.
 */
static inline bool codel_far_answers_up(struct codel_far *far, const struct codel_far_segment *seg,
					u64 now)
{
	struct codel_far_answer answer = {
		.now = now, .stamped = seg->stamped, .stamp = seg->stamp,
	};
	u32 number = seg->stamped ? seg->echo : seg->edge, key = codel_far_up_key(seg);
	struct codel_far_match match;
	bool slow;

	if (!seg->stamped)
		answer.late = codel_far_flow_gap(&far->marks, now, key);
	codel_far_flow_get(&far->marks, now, key, number, seg->len);
	if (!codel_far_marks_answer(&far->marks, &match, key, number) || !match.exact ||
	    !match.timed || !codel_far_has_data(seg))
		return false;
	answer.path = &far->marks.flows[match.flow].path;
	answer.flow = match.flow;
	slow = codel_far_up_answered(&far->up, &answer, codel_far_since(now, match.mark.at));
	codel_far_count_delay(far, now, far->up.delay);
	return slow;
}

/*
 * The verdict on a packet that arrives. One without data passes, and so does the answer to a SYN,
 * which comes at once: so it shows the path before the flow has filled a queue.
 */
static inline enum codel_verdict codel_far_ask_up(struct codel_far *far, const struct sk_buff *skb)
{
	enum codel_verdict verdict = CODEL_PASS;
	u64 now = codel_skb_cb(skb)->enqueue_time;
	struct codel_far_segment seg;
	bool slow;

	/* without ACK, a segment echoes and acknowledges nothing */
	if (!codel_far_parse(skb, false, false, &far->seed, &seg) || !seg.acks ||
	    !(codel_far_has_data(&seg) || !seg.stamped))
		return CODEL_PASS;
	spin_lock(&far->lock);
	slow = codel_far_answers_up(far, &seg, now);
	if (seg.len && !seg.syn) {
		verdict = codel_far_up_signal(&far->up, now, qdisc_pkt_len(skb));
		verdict = slow ? CODEL_SIGNAL : verdict;
	}
	spin_unlock(&far->lock);
	return verdict;
}

static noinline bool codel_far_drops_up(struct Qdisc *sch, struct codel_far *far,
					struct sk_buff *skb, struct sk_buff **to_free)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	if (codel_far_ask_up(far, skb) == CODEL_PASS)
		return false;
	if (c->config.ecn && codel_mark(skb)) {
		codel_stats_count(&c->stats.mark[CODEL_MARK_CODEL], qdisc_pkt_len(skb));
		return false;
	}
	codel_qdisc_reject(sch, qdisc_pkt_len(skb), CODEL_DROP_CODEL);
	__qdisc_drop(skb, to_free);
	return true;
}

/**
 * codel_far_drops() - upstream: signal a packet that arrives
 * @sch: the qdisc
 * @skb: a packet that is counted as received
 * @to_free: where it goes if it is dropped
 *
 * Return: true if it is dropped.
 */
static inline bool codel_far_drops(struct Qdisc *sch, struct sk_buff *skb, struct sk_buff **to_free)
{
	struct codel_far *far = codel_qdisc(sch)->far;

	return unlikely(far && far->bottleneck == CODEL_BOTTLENECK_UPSTREAM) &&
	       codel_far_drops_up(sch, far, skb, to_free);
}

/* Upstream, every packet that arrives is looked at. */
static inline bool codel_far_is_upstream(struct Qdisc *sch)
{
	return codel_qdisc(sch)->config.bottleneck == CODEL_BOTTLENECK_UPSTREAM;
}

#endif /* CODEL_FAR_SIGNAL_H */
