/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A link in virtual time: senders, the flow table, and the throughput of each sender.
 * There is no CoDel, and no bulk sender overflows the queue: only the scheduler matters.
 */
#ifndef FLOWS_LINK_H
#define FLOWS_LINK_H

#include "qdisc.h"

#define MS		1000000ULL
#define SECOND		(1000 * MS)
#define MTU		1514
#define BULK_WINDOW	4	/* packets of a bulk sender that wait at any time */
#define STEPS_MAX	4
#define BURST_MAX	8
#define SAMPLES		100000

/**
 * struct sender - one source of packets
 * @every: ns from one packet to the next; 0: a bulk sender, or a timing adversary if @steps
 * @len: bytes of a packet
 * @steps: bursts that a timing adversary repeats
 * @burst: of each step, packets
 * @size: of each step, bytes of a packet
 * @wait: of each step, ns from the departure of the last packet of the burst before
 */
struct sender {
	u64 every;
	u32 len;
	u32 steps;
	u32 burst[STEPS_MAX];
	u32 size[STEPS_MAX];
	u64 wait[STEPS_MAX];
	/* state */
	u64 next;
	u32 step;
	u32 waiting;
	u64 bytes;
	u64 delay[SAMPLES];
	u32 delays;
};

/* One packet of each of many sources in turn, numbered from the end of the senders */
struct flood {
	u64 every;
	u32 len;
	u32 sources;
	u64 next;
	u32 source;
};

static struct sender senders[8];
static u32 sender_count;
static struct flood flood;
static u64 link_rate;	/* bit/s */

static u64 time_of(u32 len)
{
	return len * 8 * SECOND / link_rate;
}

static void link_reset(u64 rate, u32 packets)
{
	memset(senders, 0, sizeof(senders));
	memset(&flood, 0, sizeof(flood));
	sender_count = 0;
	link_rate = rate;
	limit = packets;
	now = 0;
}

static struct sender *add_bulk(u32 len)
{
	senders[sender_count].len = len;
	return &senders[sender_count++];
}

static struct sender *add_periodic(u32 len, u64 every, u64 start)
{
	struct sender *s = add_bulk(len);

	s->every = every;
	s->next = start;
	return s;
}

static bool offer(u32 source, u32 len)
{
	struct fq_codel_flow *own = push_bytes(source, len);

	while (limit && queued > limit)
		must(drop_largest(own, 64));
	return true;
}

/* Enqueue the packets of a sender until @till; *@next is at most the time of its next one. */
static bool sender_run(u32 n, u64 till, u64 *next)
{
	struct sender *s = &senders[n];
	u32 i;

	if (s->steps) {
		if (s->waiting)
			return true;
		if (s->next <= till) {
			now = max(now, s->next);
			for (i = 0; i < s->burst[s->step]; i++, s->waiting++)
				must(offer(n, s->size[s->step]));
			s->step = (s->step + 1) % s->steps;
			return true;
		}
		*next = min(*next, s->next);
		return true;
	}
	for (; !s->every && s->waiting < BULK_WINDOW; s->waiting++)
		must(offer(n, s->len));
	return true;
}

/* Enqueue all packets that arrive at fixed times until @till, in the order of their times. */
static bool arrivals(u64 till, u64 *next)
{
	for (;;) {
		struct sender *first = NULL;
		u64 first_time = till + 1;
		u32 n;

		for (n = 0; n < sender_count; n++)
			if (senders[n].every && senders[n].next < first_time) {
				first = &senders[n];
				first_time = first->next;
			}
		if (flood.every && flood.next < first_time) {
			now = flood.next;
			must(offer(sender_count + flood.source, flood.len));
			flood.source = (flood.source + 1) % flood.sources;
			flood.next += flood.every;
			continue;
		}
		if (!first)
			break;
		now = first_time;
		must(offer(first - senders, first->len));
		first->next += first->every;
	}
	*next = UINT64_MAX;
	for (u32 n = 0; n < sender_count; n++)
		if (senders[n].every)
			*next = min(*next, senders[n].next);
	if (flood.every)
		*next = min(*next, flood.next);
	return true;
}

static void departed(const struct sk_buff *skb, u64 at)
{
	struct sender *s;

	if (skb->source >= sender_count)
		return;
	s = &senders[skb->source];
	s->bytes += skb->len;
	if (s->delays < SAMPLES)
		s->delay[s->delays++] = at - skb->enqueue_time;
	if (s->every)
		return;
	s->waiting--;
	if (s->steps && !s->waiting)
		s->next = at + s->wait[s->step];
}

/* Run all senders and the link for a time. */
static bool link_run(u64 duration)
{
	u64 end = now + duration, at = now, next;
	struct sk_buff *skb;
	u32 n;

	while (at < end) {
		must(arrivals(at, &next));
		now = at;
		for (n = 0; n < sender_count; n++)
			must(sender_run(n, at, &next));
		now = at;
		skb = dequeue();
		if (!skb) {
			at = min(next, end);
			continue;
		}
		must(in_order(skb));
		departed(skb, at);
		at += time_of(skb->len);
		free(skb);
	}
	now = end;
	return true;
}

static double mbit(const struct sender *s, u64 duration)
{
	return s->bytes * 8e3 / duration;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* The 99th percentile of the time that packets waited, ms */
static double p99(struct sender *s)
{
	qsort(s->delay, s->delays, sizeof(*s->delay), compare_u64);
	return s->delays ? (double)s->delay[s->delays * 99 / 100] / MS : 0;
}

#endif /* FLOWS_LINK_H */
