/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Marks that wait for their answers. A mark is a number that a packet of a flow carries away: the
 * end of its sequence numbers, or a time stamp. An answer carries a number back, and answers all
 * marks of its flow up to that number.
 *
 * Marks are in a ring, in the order in which their packets left. The marks of a flow are linked.
 * A mark that the ring takes for another one is the oldest, and so the first of its flow. Numbers
 * wrap at 2^32, as those of TCP.
 *
 * No packets and no clock; builds in user space, too. A flow is a hash of 32 bits: two flows with
 * the same hash disturb each other, but never the tables.
 */
#ifndef CODEL_FAR_MARKS_H
#define CODEL_FAR_MARKS_H

#include "../far/codel_far_follow.h"
#include "../far/codel_far_up.h"

#ifndef __KERNEL__
typedef __u16 u16;
#endif

/* With the flows, less than 32 KiB */
#define CODEL_FAR_MARKS		388
#define CODEL_FAR_FLOWS		96
#define CODEL_FAR_NONE		0xffff

/*
 * Not every packet is marked: an answer may be to packets that left after the latest mark, by
 * this much at most.
 */
#define CODEL_FAR_UNMARKED	(16U * 1024 * 1024)

/* A flow without a packet for this long leaves its place to another one. */
#define CODEL_FAR_FLOW_IDLE	(1000 * CODEL_FAR_MSEC)

/**
 * struct codel_far_entry - a mark in the ring
 * @mark: the packet
 * @number: of the mark
 * @flow: its place; CODEL_FAR_NONE if the entry is free
 * @next: the next mark of the flow; CODEL_FAR_NONE if it is the last
 */
struct codel_far_entry {
	struct codel_far_mark mark;
	u32 number;
	u16 flow;
	u16 next;
};

/**
 * struct codel_far_flow - a flow
 * @path: its round trip
 * @seen: its latest packet with data for the far queue, or its first, ns; 0 if the place is free
 * @key: hash of its addresses and ports
 * @highest: number of its latest packet that was to be marked
 * @answered: highest number of an answer
 * @resent: @highest when it sent a packet again: answers up to there are not timed
 * @first: its oldest mark; CODEL_FAR_NONE without one
 * @last: its latest mark
 * @carries: it has packets that can be answers, or that are answered
 */
struct codel_far_flow {
	struct codel_far_path path;
	u64 seen;
	u32 key;
	u32 highest;
	u32 answered;
	u32 resent;
	u16 first;
	u16 last;
	bool carries;
};

/**
 * struct codel_far_marks - all marks
 * @head: the entry that is taken next
 */
struct codel_far_marks {
	struct codel_far_flow flows[CODEL_FAR_FLOWS];
	struct codel_far_entry ring[CODEL_FAR_MARKS];
	u16 head;
};

/**
 * struct codel_far_match - an answer that has found marks
 * @mark: the latest of them
 * @flow: place of the flow
 * @exact: the answer has the number of @mark
 * @timed: no packet up to this number was sent again
 * @advance: by how much the answers of the flow have moved on
 */
struct codel_far_match {
	struct codel_far_mark mark;
	u32 flow;
	u32 advance;
	bool exact;
	bool timed;
};

static inline bool codel_far_is_after(u32 a, u32 b)
{
	return (s32)(a - b) > 0;
}

static inline void codel_far_marks_start(struct codel_far_marks *m)
{
	u32 i;

	for (i = 0; i < CODEL_FAR_FLOWS; i++)
		m->flows[i] = (struct codel_far_flow) { .first = CODEL_FAR_NONE };
	for (i = 0; i < CODEL_FAR_MARKS; i++)
		m->ring[i].flow = CODEL_FAR_NONE;
	m->head = 0;
}

static inline u32 codel_far_place(u32 key)
{
	return (u64)key * CODEL_FAR_FLOWS >> 32;
}

/* Free the oldest mark of a flow. */
static inline void codel_far_marks_pop(struct codel_far_marks *m, struct codel_far_flow *flow)
{
	struct codel_far_entry *entry = &m->ring[flow->first];

	entry->flow = CODEL_FAR_NONE;
	flow->first = entry->next;
}

static inline void codel_far_flow_take(struct codel_far_marks *m, struct codel_far_flow *flow,
				       u32 key, u32 number)
{
	while (flow->first != CODEL_FAR_NONE)
		codel_far_marks_pop(m, flow);
	*flow = (struct codel_far_flow) {
		.key = key,
		.highest = number,
		.answered = number,
		.resent = number,
		.first = CODEL_FAR_NONE,
	};
}

/**
 * codel_far_flow_get() - the flow of a packet
 * @m: all marks
 * @now: monotonic time, ns, above 0
 * @key: hash of its addresses and ports
 * @number: the number before that of its first mark, if the flow is new
 * @carries: the packet has data that goes through the far queue. A flow without such packets
 *	leaves its place to one with them
 *
 * Return: place of the flow; CODEL_FAR_NONE if it has none, since a busy flow has its place.
 */
static inline u32 codel_far_flow_get(struct codel_far_marks *m, u64 now, u32 key, u32 number,
				     bool carries)
{
	struct codel_far_flow *flow = &m->flows[codel_far_place(key)];

	if (flow->key != key || !flow->seen) {
		if (flow->seen && codel_far_since(now, flow->seen) < CODEL_FAR_FLOW_IDLE &&
		    (flow->carries || !carries))
			return CODEL_FAR_NONE;
		codel_far_flow_take(m, flow, key, number);
	}
	if (carries || !flow->seen)
		flow->seen = now;
	flow->carries |= carries;
	return flow - m->flows;
}

/**
 * codel_far_flow_gap() - the time since the latest packet of a flow
 * @m: all marks
 * @now: monotonic time, ns
 * @key: hash of its addresses and ports
 *
 * Return: ns, CODEL_FAR_LATE at most.
 */
static inline u64 codel_far_flow_gap(const struct codel_far_marks *m, u64 now, u32 key)
{
	const struct codel_far_flow *flow = &m->flows[codel_far_place(key)];

	return flow->key == key ? codel_far_min(codel_far_since(now, flow->seen), CODEL_FAR_LATE) :
				  CODEL_FAR_LATE;
}

/**
 * codel_far_flow_sends() - a packet of a flow leaves
 * @m: all marks
 * @place: of the flow
 * @number: of the packet
 *
 * Return: true if the packet is new and may be marked; false if it was sent before.
 */
static inline bool codel_far_flow_sends(struct codel_far_marks *m, u32 place, u32 number)
{
	struct codel_far_flow *flow = &m->flows[place];

	if (!codel_far_is_after(number, flow->highest)) {
		flow->resent = flow->highest;
		return false;
	}
	flow->highest = number;
	return true;
}

/**
 * codel_far_marks_add() - take an entry for a packet
 * @m: all marks
 * @place: of its flow
 * @number: of the packet
 *
 * Return: the mark, to be written.
 */
static inline struct codel_far_mark *codel_far_marks_add(struct codel_far_marks *m, u32 place,
							 u32 number)
{
	struct codel_far_flow *flow = &m->flows[place];
	struct codel_far_entry *entry = &m->ring[m->head];

	if (entry->flow != CODEL_FAR_NONE)
		codel_far_marks_pop(m, &m->flows[entry->flow]);
	if (flow->first == CODEL_FAR_NONE)
		flow->first = m->head;
	else
		m->ring[flow->last].next = m->head;
	flow->last = m->head;
	entry->number = number;
	entry->flow = place;
	entry->next = CODEL_FAR_NONE;
	m->head = (m->head + 1) % CODEL_FAR_MARKS;
	return &entry->mark;
}

/**
 * codel_far_marks_only() - the one mark of a flow of which no data has come yet
 * @m: all marks
 * @place: of the flow
 * @number: of the packet
 *
 * It may be that of an upload, whose time stamps nothing answers: more marks would take the entries
 * of others.
 *
 * Return: the mark, to be written.
 */
static inline struct codel_far_mark *codel_far_marks_only(struct codel_far_marks *m, u32 place,
							  u32 number)
{
	struct codel_far_flow *flow = &m->flows[place];

	if (flow->first == CODEL_FAR_NONE)
		return codel_far_marks_add(m, place, number);
	m->ring[flow->last].number = number;
	return &m->ring[flow->last].mark;
}

/**
 * codel_far_marks_stamp() - upstream: a number goes to the sender of a flow
 * @m: all marks
 * @up: of the link
 * @now: monotonic time, ns
 * @key: hash of the addresses and ports of the flow
 * @number: of the packet
 *
 * It becomes a mark if one is due.
 */
static inline void codel_far_marks_stamp(struct codel_far_marks *m, struct codel_far_up *up,
					 u64 now, u32 key, u32 number)
{
	u32 place = codel_far_flow_get(m, now, key, number - 1, false);

	if (place == CODEL_FAR_NONE || !codel_far_flow_sends(m, place, number))
		return;
	if (!m->flows[place].carries)
		codel_far_marks_only(m, place, number)->at = now;
	else if (codel_far_up_ask(up, now))
		codel_far_marks_add(m, place, number)->at = now;
}

/**
 * codel_far_marks_answer() - an answer comes
 * @m: all marks
 * @match: written
 * @key: hash of the addresses and ports of the flow, as of the packets that left
 * @number: up to which it answers
 *
 * An answer far beyond what has left, or to what was answered before, finds nothing.
 *
 * Return: true if it answers a mark.
 */
static inline bool codel_far_marks_answer(struct codel_far_marks *m, struct codel_far_match *match,
					  u32 key, u32 number)
{
	struct codel_far_flow *flow = &m->flows[codel_far_place(key)];
	const struct codel_far_entry *last = NULL;

	if (flow->key != key || !flow->seen ||
	    codel_far_is_after(number, flow->highest + CODEL_FAR_UNMARKED) ||
	    !codel_far_is_after(number, flow->answered))
		return false;
	match->advance = number - flow->answered;
	flow->answered = number;
	while (flow->first != CODEL_FAR_NONE &&
	       !codel_far_is_after(m->ring[flow->first].number, number)) {
		last = &m->ring[flow->first];
		codel_far_marks_pop(m, flow);
	}
	if (!last)
		return false;
	match->mark = last->mark;
	match->flow = flow - m->flows;
	match->exact = last->number == number;
	match->timed = codel_far_is_after(number, flow->resent);
	return true;
}

#endif /* CODEL_FAR_MARKS_H */
