/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Deficit round robin over the flows of an FQ-CoDel, new flows first (RFC 8290, section
 * 4.2). A flow is idle, on new_flows, or on old_flows:
 *
 *	idle --packet--> new_flows --quantum used up--> old_flows --its turn, empty--> idle
 *	 ^                   |
 *	 +--- its turn, empty, some of its quantum left
 *
 * The queue of a bulk flow may empty for a moment, and the flow is not sparse then. An idle
 * flow that used up a quantum when it was active last, and that CoDel has signalled a short
 * while ago, goes to old_flows at once.
 *
 * One rule is stricter than in the RFC: a flow gets one quantum per round. The deficit of
 * an idle flow is kept until the turn in which a new round begins for the flow. So a flow
 * gains no bandwidth by timing its packets, and a flow that sends less than its share is
 * always new. A flow in debt waits on old_flows until the debt is paid, with packets or
 * without. Only if FQ_CODEL_WAITING_MAX flows wait without packets, another one becomes
 * idle, and pays with its next quanta. One dequeue passes the waiting flows, and flows that
 * lost their last packet to a limit, which leave at once.
 *
 * Turns of old_flows are counted. A round of a flow has as many turns as old_flows had
 * flows when the round began: only the first flow leaves old_flows, and only its end
 * grows. The counter wraps: once in 2^32 turns, a flow that was idle since is in its round again,
 * for FQ_CODEL_ROUND_MAX turns at most.
 */
#ifndef FQ_CODEL_DRR_H
#define FQ_CODEL_DRR_H

#include "fq_codel_lists.h"

/* Flows without packets on old_flows */
#define FQ_CODEL_WAITING_MAX	64

/* A round is never longer than this many turns */
#define FQ_CODEL_ROUND_MAX	BIT(17)

/**
 * struct fq_codel_turns - flows that wait for their turn
 * @first: its turn is next; NULL if there is none
 * @last: valid if @first is not NULL
 * @len: number of flows
 */
struct fq_codel_turns {
	struct fq_codel_flow *first;
	struct fq_codel_flow *last;
	u32 len;
};

/**
 * struct fq_codel_drr - the scheduler
 * @lists: all flows
 * @new_flows: flows that became active and have not used up their quantum since
 * @old_flows: flows that have used up a quantum
 * @turn: turns of old_flows that have ended; wraps
 * @waiting: flows that are FQ_CODEL_WAITING
 * @quantum: bytes that a flow may send in a round
 */
struct fq_codel_drr {
	struct fq_codel_lists lists;
	struct fq_codel_turns new_flows;
	struct fq_codel_turns old_flows;
	u32 turn;
	u32 waiting;
	u32 quantum;
};

/* Bytes that the flow may send in a round */
static inline s32 fq_codel_drr_quantum(const struct fq_codel_drr *drr,
				       const struct fq_codel_flow *flow)
{
	return drr->quantum << flow->share;
}

static inline void fq_codel_turns_append(struct fq_codel_drr *drr,
					 struct fq_codel_turns *turns,
					 struct fq_codel_flow *flow)
{
	if (likely(turns->len++))
		turns->last->turn_next = fq_codel_index(&drr->lists, flow);
	else
		turns->first = flow;
	turns->last = flow;
}

static inline void fq_codel_turns_pop(struct fq_codel_drr *drr,
				      struct fq_codel_turns *turns)
{
	u32 next = turns->first->turn_next;

	turns->first = --turns->len ? &drr->lists.flows[next] : NULL;
}

/* Return whether the round is over that ends with this turn. */
static inline bool fq_codel_drr_is_over(const struct fq_codel_drr *drr, u32 turn)
{
	return turn - drr->turn - 1 >= FQ_CODEL_ROUND_MAX;
}

/* Return whether a round has passed since the flow got its last quantum. */
static inline bool fq_codel_drr_is_due(const struct fq_codel_drr *drr,
				       const struct fq_codel_flow *flow)
{
	return fq_codel_drr_is_over(drr, flow->refill_turn);
}

static inline void fq_codel_drr_stop_waiting(struct fq_codel_drr *drr,
					     struct fq_codel_flow *flow)
{
	if (flow->flags & FQ_CODEL_WAITING) {
		flow->flags &= ~FQ_CODEL_WAITING;
		drr->waiting--;
	}
}

/**
 * fq_codel_drr_arrival() - a flow without packets has got one
 * @drr: the scheduler
 * @flow: the flow
 * @params: of CoDel
 *
 * Return: true if the flow was idle.
 */
static __always_inline bool fq_codel_drr_arrival(struct fq_codel_drr *drr,
						 struct fq_codel_flow *flow,
						 const struct codel_params *params)
{
	if (!fq_codel_is_idle(flow)) {
		fq_codel_drr_stop_waiting(drr, flow);
		return false;
	}
	if (likely(fq_codel_drr_is_due(drr, flow))) {
		flow->deficit = fq_codel_drr_quantum(drr, flow) + min(flow->deficit, 0);
		flow->refill_turn = drr->turn + drr->old_flows.len;
	}
	flow->flags |= FQ_CODEL_ACTIVE | FQ_CODEL_RECENT;
	if (unlikely(flow->flags & FQ_CODEL_BULK)) {
		flow->flags &= ~FQ_CODEL_BULK;
		if (codel_signal_is_recent(&flow->queue.vars, params,
					   codel_skb_cb(flow->queue.tail)->enqueue_time)) {
			fq_codel_turns_append(drr, &drr->old_flows, flow);
			return true;
		}
	}
	fq_codel_turns_append(drr, &drr->new_flows, flow);
	return true;
}

/**
 * fq_codel_drr_leave() - the first flow has no packet, and is about to be idle
 * @drr: the scheduler
 * @turns: new_flows or old_flows
 * @flow: its first flow
 * @round: a round of the flow begins with this turn: the flow is old, or in debt; that of
 *	another new flow began when the flow became active
 */
static inline void fq_codel_drr_leave(struct fq_codel_drr *drr,
				      struct fq_codel_turns *turns,
				      struct fq_codel_flow *flow, bool round)
{
	fq_codel_turns_pop(drr, turns);
	if (turns == &drr->old_flows)
		drr->turn++;
	if (round)
		flow->refill_turn = drr->turn + drr->old_flows.len;
	if (flow->flags & FQ_CODEL_WAITING)
		drr->waiting--;
}

/**
 * fq_codel_drr_rotate() - the first flow has used up its quantum: it becomes the last old flow
 * @drr: the scheduler
 * @turns: new_flows or old_flows
 * @flow: its first flow; gets its next quantum
 */
static __always_inline void fq_codel_drr_rotate(struct fq_codel_drr *drr,
						struct fq_codel_turns *turns,
						struct fq_codel_flow *flow)
{
	flow->deficit += fq_codel_drr_quantum(drr, flow);
	flow->flags |= FQ_CODEL_BULK;
	if (turns == &drr->new_flows) {
		fq_codel_turns_pop(drr, turns);
		fq_codel_turns_append(drr, &drr->old_flows, flow);
		return;
	}
	drr->turn++;
	if (turns->len == 1)
		return;
	turns->last->turn_next = fq_codel_index(&drr->lists, flow);
	turns->last = flow;
	turns->first = &drr->lists.flows[flow->turn_next];
}

/**
 * fq_codel_drr_defer() - the first new flow may not send yet
 * @drr: the scheduler
 *
 * It waits with the old flows, with what is left of its quantum, so that new flows behind it have
 * their turn.
 *
 * Return: false if there is no new flow.
 */
static inline bool fq_codel_drr_defer(struct fq_codel_drr *drr)
{
	struct fq_codel_flow *flow = drr->new_flows.first;

	if (!flow)
		return false;
	fq_codel_turns_pop(drr, &drr->new_flows);
	fq_codel_turns_append(drr, &drr->old_flows, flow);
	return true;
}

static inline void fq_codel_turns_rank(struct fq_codel_drr *drr,
				       const struct fq_codel_turns *turns)
{
	struct fq_codel_flow *flow = turns->first;
	u32 n;

	for (n = 0; n < turns->len; n++, flow = &drr->lists.flows[flow->turn_next])
		if (flow->queue.tail)
			fq_codel_rank(&drr->lists, flow);
}

/* Rank all flows with packets, because the limits that make the qdisc crowded have changed. */
static inline void fq_codel_drr_rank_all(struct fq_codel_drr *drr)
{
	fq_codel_turns_rank(drr, &drr->new_flows);
	fq_codel_turns_rank(drr, &drr->old_flows);
}

/* Return whether a flow in debt, without packets, may wait on old_flows. */
static inline bool fq_codel_drr_may_wait(struct fq_codel_drr *drr,
					 struct fq_codel_flow *flow)
{
	if (flow->flags & FQ_CODEL_WAITING)
		return true;
	if (unlikely(drr->waiting == FQ_CODEL_WAITING_MAX))
		return false;
	drr->waiting++;
	flow->flags |= FQ_CODEL_WAITING;
	return true;
}

/**
 * enum fq_codel_turn - the result of a turn, or of the search for a flow
 * @FQ_CODEL_TURN_SEND: the flow has a packet and may send
 * @FQ_CODEL_TURN_LEFT: the flow has no packet and has left its list: the caller makes it idle
 * @FQ_CODEL_TURN_ENDED: the flow has used up its quantum, and is on old_flows
 * @FQ_CODEL_TURN_NONE: no flow is active
 */
enum fq_codel_turn {
	FQ_CODEL_TURN_SEND,
	FQ_CODEL_TURN_LEFT,
	FQ_CODEL_TURN_ENDED,
	FQ_CODEL_TURN_NONE,
};

/* The turn of the first flow of new_flows or old_flows */
static __always_inline enum fq_codel_turn
fq_codel_drr_take_turn(struct fq_codel_drr *drr, struct fq_codel_turns *turns,
		       struct fq_codel_flow *flow)
{
	if (flow->queue.tail) {
		if (likely(flow->deficit > 0))
			return FQ_CODEL_TURN_SEND;
	} else if (likely(flow->deficit > 0)) {
		fq_codel_drr_leave(drr, turns, flow, turns == &drr->old_flows);
		return FQ_CODEL_TURN_LEFT;
	} else if (!fq_codel_drr_may_wait(drr, flow)) {
		fq_codel_drr_leave(drr, turns, flow, true);
		return FQ_CODEL_TURN_LEFT;
	}
	fq_codel_drr_rotate(drr, turns, flow);
	return FQ_CODEL_TURN_ENDED;
}

/*
 * All flows with packets are in debt. Give each flow at once the quanta of all rounds
 * that would pass until the first flow may send. If no flow has a packet, all rounds pass.
 */
static noinline void fq_codel_drr_skip_rounds(struct fq_codel_drr *drr)
{
	struct fq_codel_flow *flows = drr->lists.flows, *flow;
	u32 quantum = drr->quantum, n;
	s32 nearest = S32_MIN;
	u64 quanta;

	for (n = 0, flow = drr->old_flows.first; n < drr->old_flows.len;
	     n++, flow = &flows[flow->turn_next])
		if (flow->queue.tail)
			nearest = max(nearest, flow->deficit >> flow->share);
	quanta = nearest > 0 ? 0 : (u32)-(s64)nearest / quantum + 1;
	for (n = 0, flow = drr->old_flows.first; n < drr->old_flows.len;
	     n++, flow = &flows[flow->turn_next])
		flow->deficit = min_t(s64, flow->deficit + (s64)(quanta * quantum << flow->share),
				      fq_codel_drr_quantum(drr, flow));
}

/*
 * The search of fq_codel_drr_next() goes on after a turn that has left its flow in debt.
 * However large the debts, a search among n flows looks at flows 5n + 1 times at most: n
 * turns before that turn, n + 1 turns, twice all flows to skip rounds, and n turns.
 */
static inline struct fq_codel_flow *fq_codel_drr_next_in_debt(struct fq_codel_drr *drr)
{
	struct fq_codel_turns *turns;
	struct fq_codel_flow *flow;
	u32 ended = 0;

	while ((turns = drr->new_flows.first ? &drr->new_flows : &drr->old_flows)->first) {
		flow = turns->first;
		if (fq_codel_drr_take_turn(drr, turns, flow) != FQ_CODEL_TURN_ENDED)
			return flow;
		if (++ended > drr->old_flows.len) {
			fq_codel_drr_skip_rounds(drr);
			ended = 0;
		}
	}
	return NULL;
}

/**
 * fq_codel_drr_next() - find the flow that may send
 * @drr: the scheduler
 * @found: set to the flow
 *
 * Most flows are out of debt after the turn that they end here.
 *
 * Return: enum fq_codel_turn, except FQ_CODEL_TURN_ENDED. After FQ_CODEL_TURN_LEFT the caller
 * calls fq_codel_table_go_idle() and searches again.
 */
static __always_inline enum fq_codel_turn
fq_codel_drr_next(struct fq_codel_drr *drr, struct fq_codel_flow **found)
{
	struct fq_codel_flow *flow;
	enum fq_codel_turn turn;

	do {
		flow = drr->new_flows.first;
		if (flow) {
			turn = fq_codel_drr_take_turn(drr, &drr->new_flows, flow);
		} else {
			flow = drr->old_flows.first;
			if (!flow)
				return FQ_CODEL_TURN_NONE;
			turn = fq_codel_drr_take_turn(drr, &drr->old_flows, flow);
		}
		*found = flow;
		if (turn != FQ_CODEL_TURN_ENDED)
			return turn;
	} while (likely(flow->deficit > 0));
	flow = fq_codel_drr_next_in_debt(drr);
	*found = flow;
	if (!flow)
		return FQ_CODEL_TURN_NONE;
	return flow->queue.tail ? FQ_CODEL_TURN_SEND : FQ_CODEL_TURN_LEFT;
}

#endif /* FQ_CODEL_DRR_H */
