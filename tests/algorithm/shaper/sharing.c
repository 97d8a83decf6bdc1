// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <string.h>

#include "cases.h"
#include "sharing.h"

#define MTU	1514

void sharing_start(struct sharing *s, u64 rate, u64 late_max, u64 seed)
{
	memset(s, 0, sizeof(*s));
	s->rate = rate;
	s->now = SEC;
	s->late_max = late_max;
	rng_seed(&s->rng, seed);
	codel_pace_set(&s->pace, rate);
}

struct shared_queue *sharing_add(struct sharing *s, u32 len, u32 flows)
{
	struct shared_queue *queue = &s->queues[s->count++];

	memset(queue, 0, sizeof(*queue));
	queue->len = len;
	queue->flows = flows;
	queue->arrival = s->now;
	queue->timer = SHARING_NEVER;
	codel_slice_set(&queue->slice, &s->pace, s->rate, MTU);
	return queue;
}

struct shared_queue *sharing_add_sparse(struct sharing *s, u32 len, u64 gap)
{
	struct shared_queue *queue = sharing_add(s, len, 1);

	queue->gap = gap;
	queue->arrival += rng_even(&s->rng, 0, gap);
	return queue;
}

void sharing_delete(struct sharing *s, struct shared_queue *queue)
{
	codel_slice_idle(&queue->slice, &queue->clock, &s->link);
	queue->packets = 0;
	queue->arrival = SHARING_NEVER;
	queue->timer = SHARING_NEVER;
}

/* How far all that was sent is ahead of a link of this rate */
static void police(struct sharing *s, u32 len)
{
	exact now = (exact)s->now * s->rate;
	u64 ahead;

	if (s->policer < now)
		s->policer = now;
	ahead = (s->policer - now) / s->rate;
	if (ahead > s->ahead)
		s->ahead = ahead;
	s->policer += (exact)len * SEC;
}

static void depart(struct sharing *s, struct shared_queue *queue)
{
	if (s->now - queue->since > queue->longest)
		queue->longest = s->now - queue->since;
	queue->since = s->now;
	queue->packets -= queue->gap || queue->off;
	queue->bytes += queue->len;
	police(s, queue->len);
	if (!queue->slice.active) {
		codel_slice_send_free(&queue->clock, &s->pace, &s->link, s->now, queue->len);
		return;
	}
	codel_clock_send(&queue->clock, &s->pace, queue->len, !queue->packets);
	if (!queue->packets)
		codel_slice_idle(&queue->slice, &queue->clock, &s->link);
}

static bool is_due(struct sharing *s, struct shared_queue *queue)
{
	u32 bytes = queue->gap || queue->off ? queue->packets * queue->len : 1U << 30;

	return codel_slice_is_due(&queue->slice, &queue->clock, s->now) ||
	       (bytes == queue->len &&
		codel_slice_is_free(&queue->slice, &queue->clock, &s->link, s->now)) ||
	       codel_slice_turn(&queue->slice, &queue->clock, &s->link, s->now,
				codel_slice_time(&queue->slice, &s->pace, bytes), queue->flows);
}

/* All that is due leaves, and the timer is set for the rest. */
static void poll(struct sharing *s, struct shared_queue *queue)
{
	queue->timer = SHARING_NEVER;
	while (queue->packets && is_due(s, queue))
		depart(s, queue);
	if (queue->packets)
		queue->timer = queue->clock.next + rng_even(&s->rng, 0, s->late_max);
}

/* A packet arrives, or packets begin to arrive, or cease to. */
static void arrive(struct sharing *s, struct shared_queue *queue)
{
	if (!queue->packets)
		queue->since = s->now;
	queue->off = queue->on && queue->packets && !queue->off;
	if (queue->off)
		queue->packets = 1;
	else if (!queue->gap)
		queue->packets = 1;
	else
		queue->packets++;
	queue->arrival += queue->gap ? queue->gap : queue->on ? queue->on : SHARING_NEVER / 2;
	poll(s, queue);
}

static u64 next_event(const struct shared_queue *queue)
{
	return queue->timer < queue->arrival ? queue->timer : queue->arrival;
}

void sharing_run(struct sharing *s, u64 until)
{
	for (;;) {
		struct shared_queue *first = &s->queues[0];
		u32 i;

		for (i = 1; i < s->count; i++)
			if (next_event(&s->queues[i]) < next_event(first))
				first = &s->queues[i];
		if (next_event(first) > until)
			break;
		s->now = next_event(first);
		if (first->arrival <= s->now)
			arrive(s, first);
		else
			poll(s, first);
	}
	s->now = until;
}

void sharing_clear(struct sharing *s)
{
	u32 i;

	s->ahead = 0;
	for (i = 0; i < s->count; i++) {
		s->queues[i].bytes = 0;
		s->queues[i].longest = 0;
	}
}

u64 sharing_bytes(const struct sharing *s)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < s->count; i++)
		bytes += s->queues[i].bytes;
	return bytes;
}

u64 sharing_slice(const struct sharing *s)
{
	return s->queues[0].slice.full + (codel_pace_time(&s->pace, MTU) >> 8) + 1;
}
