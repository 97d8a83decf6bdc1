// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <string.h>

#include "cases.h"
#include "ktap.h"
#include "link.h"

#define LATE_MAX	(10 * MS)

struct departure link_log[LINK_LOG];

void link_start(struct link *link, u64 rate, u64 late_max, u64 seed)
{
	memset(link, 0, sizeof(*link));
	link->rate = rate;
	link->late_max = late_max;
	link->timer = LINK_NEVER;
	link->now = SEC;
	rng_seed(&link->rng, seed);
	codel_pace_set(&link->pace, rate);
}

static bool wrong(const struct link *link, const char *what)
{
	ktap_note("%s: packet %u at %llu bytes/s, at %llu ns, next %llu", what, link->count,
		  (unsigned long long)link->rate, (unsigned long long)link->now,
		  (unsigned long long)link->clock.next);
	return false;
}

/*
 * The model: a packet that has waited begins when the link is free, but no more than LATE_MAX
 * ago; any other one begins now. The fraction of a nanosecond goes on in each case.
 */
static void model_send(struct link *link, const struct packet *packet)
{
	exact begin = (exact)(link->now - (packet->waits ? LATE_MAX : 0)) * 256 +
		      (link->end & 255);

	link->end = (begin > link->end ? begin : link->end) +
		    codel_pace_time(&link->pace, packet->len);
}

/*
 * The policer: no more in any time than the rate gives in that time and LATE_MAX, and a packet.
 * The clock may be early by what it cuts from a packet's time, and by a fraction of a ns.
 */
static bool policer_accepts(struct link *link, u32 len)
{
	exact time = (exact)len * (SEC - 30) - link->rate / 256 - 1;
	exact now = (exact)link->now * link->rate;

	if (link->policer < now)
		link->policer = now;
	if (link->policer - now > link->burst)
		link->burst = link->policer - now;
	if (link->policer - now > (exact)link->rate * (LATE_MAX + 1))
		return false;
	link->policer += time;
	return true;
}

static void log_departure(struct link *link, u32 len)
{
	if (link->count < LINK_LOG)
		link_log[link->count] = (struct departure) { link->now, len };
	link->count++;
	link->bytes += len;
}

/* The packet at the head leaves. */
static bool depart(struct link *link)
{
	struct packet packet = link->queue[link->head];

	if (link->now < (u64)(link->end >> 8))
		return wrong(link, "leaves before the link is free");
	link->head = (link->head + 1) % LINK_QUEUE;
	link->queued--;
	codel_clock_send(&link->clock, &link->pace, packet.len, !link->queued);
	model_send(link, &packet);
	if (exact_now(&link->clock) != link->end)
		return wrong(link, "not as the model");
	if (!policer_accepts(link, packet.len))
		return wrong(link, "more than the rate and 10 ms");
	log_departure(link, packet.len);
	return true;
}

static u64 lateness(struct link *link)
{
	u32 chance = rng_even(&link->rng, 0, 999);

	if (chance < link->stalls)
		return rng_even(&link->rng, 0, 200 * MS);
	if (chance < 300)
		return chance < 200 ? link->late_max : 0;
	return rng_even(&link->rng, 0, link->late_max);
}

/* All that is due leaves; the timer is set for the rest, unless it is. */
static bool link_poll(struct link *link)
{
	while (link->queued && codel_clock_is_due(&link->clock, link->now))
		if (!depart(link))
			return false;
	if (!link->queued)
		return true;
	codel_clock_wait(&link->clock, true);
	if (link->timer == LINK_NEVER || link->timer_set != link->clock.next) {
		link->timer_set = link->clock.next;
		link->timer = link->clock.next + lateness(link);
	}
	return true;
}

bool link_arrive(struct link *link, u32 len)
{
	u32 tail = (link->head + link->queued) % LINK_QUEUE;

	if (link->queued == LINK_QUEUE)
		return true;
	link->queue[tail] = (struct packet) {
		.len = len,
		.waits = link->queued || link->now < (u64)(link->end >> 8),
	};
	link->queued++;
	return link_poll(link);
}

static bool fire(struct link *link)
{
	link->now = link->timer;
	link->timer = LINK_NEVER;
	return link_poll(link);
}

bool link_wait(struct link *link, u64 until)
{
	while (link->timer <= until)
		if (!fire(link))
			return false;
	link->now = until;
	return true;
}

bool link_stand(struct link *link, u64 until, u32 packets, u32 len)
{
	while (link->now < until) {
		while (link->queued < packets)
			if (!link_arrive(link, len))
				return false;
		if (link->timer > until)
			break;
		/* what arrives as the timer fires leaves with it */
		if (!fire(link))
			return false;
	}
	return true;
}
