/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Which flow pays when an FQ-CoDel exceeds a limit, and how much: the largest flow loses half
 * of its bytes (RFC 8290, section 4.1).
 */
#ifndef FQ_CODEL_DROP_H
#define FQ_CODEL_DROP_H

#include "fq_codel_lists.h"

/**
 * fq_codel_drop_victim() - find the flow that pays
 * @lists: the lists
 * @own: flow of the packet that has just been queued; need not be ranked yet
 *
 * Return: @own if its backlog is as large as that of the largest ranked flow, or else that
 * flow; NULL if neither has packets.
 */
static inline struct fq_codel_flow *fq_codel_drop_victim(struct fq_codel_lists *lists,
							 struct fq_codel_flow *own)
{
	struct fq_codel_flow *flow = fq_codel_largest(lists);

	if (likely(flow && flow->queue.backlog > own->queue.backlog))
		return flow;
	return own->queue.tail ? own : NULL;
}

/**
 * fq_codel_drop_until() - find how far a flow is emptied
 * @flow: a flow with packets
 * @quantum: bytes that a flow may send in a round
 *
 * Half is rounded up to a packet; in a flow of no more than a quantum it is rounded down,
 * because a flow of three packets would lose two.
 *
 * Return: packets are dropped from the head while the backlog is larger, bytes.
 */
static inline u32 fq_codel_drop_until(const struct fq_codel_flow *flow, u32 quantum)
{
	u32 until = flow->queue.backlog / 2;

	if (flow->queue.backlog <= quantum)
		until += qdisc_pkt_len(flow->queue.tail->next) - 1;
	return until;
}

#endif /* FQ_CODEL_DROP_H */
