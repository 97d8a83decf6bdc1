// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The packets of a queue leave in the order of their arrival: any ring of up to PACKETS, which
 * differ by their length.
 */
#include "any.h"
#include "kernel.h"
#include "qdisc/codel_queue.h"

#define PACKETS	5

static struct sk_buff packets[PACKETS];
static struct codel_queue queue;

/* Return the number of packets; they came in this order, the last one at the time @last. */
static unsigned int waiting(u32 first, u32 last)
{
	const struct sk_buff *skb;
	unsigned int n = 1;

	if (!queue.tail)
		return 0;
	skb = queue.tail->next;
	prove(skb->len == first && queue.tail->len == last, "the ends of the queue are right");
	for (; skb != queue.tail && n <= PACKETS; skb = skb->next, n++)
		prove(skb->next->len > skb->len, "packets are in the order of their arrival");
	return n;
}

/* Packets 1 to @n arrive, as @n - 1 did before. */
static unsigned int fill(void)
{
	unsigned int n = nondet_u8(), i;

	suppose(n <= PACKETS - 1);
	for (i = 0; i < n; i++) {
		packets[i].len = i + 1;
		packets[i].next = &packets[i + 1 < n ? i + 1 : 0];
	}
	queue.tail = n ? &packets[n - 1] : NULL;
	return n;
}

void prove_order_append(void)
{
	unsigned int n = fill();
	bool alone;

	packets[n].len = n + 1;
	alone = codel_queue_append(&queue, &packets[n]);
	prove(alone == !n, "the only packet is told");
	prove(waiting(1, n + 1) == n + 1, "a packet more waits, as the last");
	reached();
}

void prove_order_pop(void)
{
	unsigned int n = fill();
	struct sk_buff *skb;

	suppose(n);
	skb = codel_queue_pop(&queue);
	prove(skb->len == 1 && !skb->next, "the first packet leaves");
	prove(waiting(2, n) == n - 1, "the others wait, in their order");
	reached();
}
