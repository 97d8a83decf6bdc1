// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The control law of a kernel's CoDel, net/codel_impl.h, in user space: the time from one signal to the next against
 * interval / sqrt(count), by count and history. KTAP; a step must be within a tick of 1.024 us of the exact one.
 *
 *	law		compares, and prints the largest errors
 *	law cost	prints how long a codel_dequeue() takes that drops one packet, in ns: in virtual time, instructions
 *
 * The queue is endless and always above target. The clock goes from one signal to the next.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <linux/kernel.h>
#include <net/codel.h>
#include <net/codel_impl.h>

#include "lib/math/int_sqrt.c"

#define MOST		10000	/* signals */
#define OVERFLOW	64	/* packets that fq_codel drops from a flow above its limit */
#define SECONDS		1	/* in which signals are counted */

static u64 now_ns;
static bool late = true;	/* the packet at the head is above target */
static u32 dropped;

/* What the worst step of a history was */
struct worst {
	double error;	/* of the step: 1 is 100% */
	double ticks;
	u32 count;
};

struct queue {
	struct codel_vars vars;
	struct codel_params params;
	struct codel_stats stats;
	u32 backlog;
};

u64 ktime_get_ns(void)
{
	return now_ns;
}

int skb_get_dsfield(struct sk_buff *skb)
{
	return skb->len & 0;
}

int INET_ECN_set_ce(struct sk_buff *skb)
{
	return skb->len & 0;
}

static u32 length(const struct sk_buff *skb)
{
	return skb->len;
}

static codel_time_t enqueued(const struct sk_buff *skb)
{
	return codel_get_time() - (late ? MS2TIME(1000) : 0 * skb->len);
}

static void drop(struct sk_buff *skb, void *ctx)
{
	dropped += skb && ctx;
}

static struct sk_buff *dequeue(struct codel_vars *vars, void *ctx)
{
	static struct sk_buff skb = { .len = 1514 };

	return vars && ctx ? &skb : NULL;
}

static void call(struct queue *q)
{
	codel_dequeue(q, &q->backlog, &q->params, &q->vars, &q->stats, length, enqueued, drop, dequeue);
}

static void at(codel_time_t ticks)
{
	now_ns = (u64)ticks << CODEL_SHIFT;
}

/* A queue that has just entered the dropping state */
static struct queue start(void)
{
	struct queue q = { .backlog = 1 << 30 };

	codel_params_init(&q.params);
	codel_vars_init(&q.vars);
	q.params.mtu = 1514;
	late = true;
	at(1000);
	call(&q);
	at(1000 + q.params.interval + 1);
	call(&q);
	return q;
}

/* The next signal, at the time that it is due: the step to the one after it, in ticks */
static codel_time_t signal(struct queue *q)
{
	codel_time_t due = q->vars.drop_next;

	at(due);
	call(q);
	return q->vars.drop_next - due;
}

/* The dropping state ends, and begins again in 2 intervals */
static void enter_again(struct queue *q)
{
	codel_time_t due = q->vars.drop_next;

	late = false;
	at(due);
	call(q);
	late = true;
	at(due + 1);
	call(q);
	at(due + 3 + q->params.interval);
	call(q);
}

static void compare(struct worst *worst, const struct queue *q, codel_time_t step)
{
	double exact = q->params.interval / sqrt(q->vars.count);
	double ticks = fabs(step - exact);

	if (ticks > worst->ticks)
		worst->ticks = ticks;
	if (ticks / exact > worst->error) {
		worst->error = ticks / exact;
		worst->count = q->vars.count;
	}
}

static void grow(struct queue *q, u32 signals, struct worst *worst)
{
	while (signals--)
		compare(worst, q, signal(q));
}

/* The signals of the next SECONDS, and in *exact those of the law */
static u32 signals_in_time(struct queue q, u32 *exact)
{
	codel_time_t end = q.vars.drop_next + MS2TIME(1000ULL * SECONDS);
	double t = q.vars.drop_next;
	u32 found = 0;

	for (*exact = 0; t < end; (*exact)++)
		t += q.params.interval / sqrt(q.vars.count + *exact + 1);
	while (codel_time_before(q.vars.drop_next, end) && found < 1000 * 1000) {
		signal(&q);
		found++;
	}
	return found;
}

/* From the first signal to the last */
static void growth(struct worst *worst)
{
	struct queue q = start();

	grow(&q, MOST, worst);
}

/* After many signals, the state is entered again after a few more: the count is that of the few */
static void resumed(struct worst *worst)
{
	static const u32 before[] = { 10, 100, 1000, MOST };
	struct queue q, again;
	unsigned int i;
	u32 few;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		struct worst unused = { 0 };

		q = start();
		grow(&q, before[i], &unused);
		enter_again(&q);
		for (few = 2; few < 100; few++) {
			signal(&q);
			again = q;
			enter_again(&again);
			compare(worst, &again, again.vars.drop_next - codel_get_time());
			grow(&again, 10, worst);
		}
	}
}

/* The flow loses packets to the limit, which fq_codel adds to the count */
static void overflow(struct worst *worst)
{
	struct queue q, over;
	struct worst unused = { 0 };
	u32 i;

	q = start();
	for (i = 0; i < 1000; i++) {
		over = q;
		over.vars.count += OVERFLOW;
		grow(&over, 10, worst);
		grow(&q, 1, &unused);
	}
}

static void report(int number, const char *title, void (*history)(struct worst *worst))
{
	struct worst worst = { 0 };
	bool good;

	history(&worst);
	good = worst.ticks < 1;
	printf("# %s: step wrong by up to %.3g%%, at count %u\n", title, 100 * worst.error, worst.count);
	if (!good)
		printf("# FAIL: %s: wrong by %.3g ticks\n", title, worst.ticks);
	printf("%s %d %s\n", good ? "ok" : "not ok", number, title);
}

static void effect(const char *title, u32 count, struct queue q)
{
	u32 exact, found = signals_in_time(q, &exact);

	printf("# %s %u: %u signals in %d s, exact %u\n", title, count, found, SECONDS, exact);
}

static void effects(void)
{
	static const u32 counts[] = { 1, 10, 100, 1000, MOST };
	struct worst unused = { 0 };
	struct queue q, again;
	unsigned int i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		q = start();
		grow(&q, counts[i] - 1, &unused);
		effect("from count", counts[i], q);
		again = q;
		again.vars.count += OVERFLOW;
		effect("the same after an overflow, from count", again.vars.count, again);
		enter_again(&q);
		grow(&q, 2, &unused);
		enter_again(&q);
		effect("the same, entered again after two signals, from count", q.vars.count, q);
	}
}

static int cost(void)
{
	struct timespec begin, end;
	struct queue q = start();
	int i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < MOST; i++)
		signal(&q);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("# codel_dequeue() that drops a packet: %.0f instructions\n",
	       ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / MOST);
	return dropped < MOST;
}

int main(int argc, char **argv)
{
	struct worst worst = { 0 };

	(void)argv;
	if (argc > 1)
		return cost();
	printf("TAP version 13\n1..3\n");
	report(1, "growth to 10000 signals", growth);
	report(2, "entered again after 2 to 100 signals", resumed);
	report(3, "64 packets lost to the limit", overflow);
	effects();
	growth(&worst);
	resumed(&worst);
	overflow(&worst);
	return worst.ticks >= 1;
}
