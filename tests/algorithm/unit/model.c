// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct model_head {
	struct packet *pkt;
	bool ok_to_drop;
	model_ns blamed;	/* part of the sojourn time, on the senders */
	bool much;	/* waits behind it */
	unsigned int chance;	/* of its own, in 255ths */
};

void figures_add(struct figures *sum, const struct figures *part)
{
	const unsigned long long *from = (const void *)part;
	unsigned long long *to = (void *)sum;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

long double model_exact_step(model_ns interval, unsigned long count)
{
	return interval / sqrtl(count);
}

model_ns model_round_step(model_ns interval, unsigned long count)
{
	model_ns step = llroundl(model_exact_step(interval, count));

	return step > 0 ? step : 1;
}

static model_ns control_law(const struct model *model, model_ns t)
{
	return t + model->step(model->interval, model->count);
}

/*
 * The link holds packets when none leaves for more than half an interval that is not
 * below target. If the first one that leaves then is older than half an interval, so
 * long it holds them still.
 */
static void link_moves(struct model *model, model_ns sojourn_time, model_ns now)
{
	struct model_link *link = model->link;

	if (now - link->last > model->interval / 2) {
		link->from = link->last;
		link->until = now;
		if (sojourn_time > model->interval / 2)
			link->until += model->interval / 2;
	}
	link->last = now;
}

/* The part of a sojourn time that the link did not hold the packet. */
static model_ns blamed_time(const struct model *model, model_ns arrival, model_ns now)
{
	const struct model_link *link = model->link;
	model_ns before = link->from - arrival, after = now - link->until;

	if (link->until <= arrival || link->from >= now)
		return now - arrival;
	return (before > 0 ? before : 0) + (after > 0 ? after : 0);
}

model_ns model_first_ceiling(const struct model *model)
{
	model_ns first = 5 * model->interval / 4;

	return model->ceiling > first ? model->ceiling : first;
}

static bool beyond_first_ceiling(const struct model *model, const struct model_head *r)
{
	return model->ceiling && r->much && r->blamed >= model_first_ceiling(model);
}

static void stand(struct model *model, model_ns now)
{
	model->stands = true;
	model->late = now;
}

/*
 * The chance that a packet gives, in 255ths: the last step of 1/255 that the straight line from
 * half of the ceiling to the ceiling has reached.
 */
static unsigned int next_chance(const struct model *model, const struct model_head *r)
{
	model_ns begins = model->ceiling / 2;
	__int128 beyond = r->blamed - begins;
	unsigned int line = 0, bit;

	if (!model->ceiling || !r->much || beyond <= 0)
		return 0;
	for (bit = 128; bit; bit /= 2)
		if ((line + bit) * (__int128)(model->ceiling - begins) <= beyond * 255)
			line += bit;
	return line;
}

/*
 * The dropping state goes on, as the delay persisted for as long as the queue stood. Outside of
 * it, the queue waits for an interval again.
 */
static void calm(struct model *model)
{
	model->stands = false;
	model->figures.calmed += model->ceiling != 0;
	model->figures.stopped += !model->ceiling;
	model->watch.from = model->late;
	model->first_above_time = model->dropping ? model->late : 0;
}

/* The packet has the chance that the one before it gave, or it is lost for sure. */
static unsigned int take_chance(struct model *model, const struct model_head *r, model_ns now)
{
	unsigned int given = model->chance;

	model->chance = next_chance(model, r);
	if (model->chance)
		model->late = now;
	else if (!model->ceiling || now - model->late >= 2 * model->interval)
		calm(model);
	if (!model->stands || !r->much)
		return 0;
	return model->chance == 255 ? 255 : given;
}

static void find_standing(struct model *model, struct model_head *r, model_ns now)
{
	if (!model->stands && model->turns && !model->dropping &&
	    beyond_first_ceiling(model, r)) {
		stand(model, now);
		model->figures.rare++;
	}
	if (model->stands)
		r->chance = take_chance(model, r, now);
}

/* Whether the delay has been too long for too long; a queue that stands has shown it. */
static bool persists(struct model *model, bool above, model_ns now)
{
	if (model->stands)
		return above;
	if (!above)
		model->first_above_time = 0;
	else if (model->first_above_time == 0 ||
		 model->first_above_time - now > model->interval)
		model->first_above_time = now + model->interval;
	else
		return now >= model->first_above_time;
	return false;
}

static void empty(struct model *model)
{
	model->chance = 0;
	if (model->stands)
		model->figures.remained++;
	else
		model->first_above_time = 0;
}

/* Take a packet, and find whether the delay has been too long for too long. */
static struct model_head dodequeue(struct model *model, model_ns now)
{
	struct model_head r = { .pkt = fifo_take(&model->queue) };
	model_ns sojourn_time;
	uint64_t left;

	if (!r.pkt) {
		empty(model);
		return r;
	}
	sojourn_time = now - (model_ns)r.pkt->enqueued;
	left = model->queue.bytes + model->elsewhere;
	r.much = left > 4 * model->maxpacket && fifo_len(&model->queue);
	if (sojourn_time >= model->target)
		link_moves(model, sojourn_time, now);
	r.blamed = blamed_time(model, r.pkt->enqueued, now);
	model->figures.held += r.blamed < sojourn_time;
	find_standing(model, &r, now);
	r.ok_to_drop = persists(model, sojourn_time >= model->target &&
				       left > model->maxpacket, now);
	return r;
}

static void leave(struct model *model, const struct model_head *r)
{
	model->dropping = false;
	model->ended = false;
	model->figures.exits++;
	model->figures.emptied += !r->pkt;
}

/* Record the fate of the packet that was chosen. Return whether it was lost. */
static bool drop(struct model *model, const struct packet *pkt)
{
	fates_add(&model->fates, pkt,
		  pkt->markable ? FATE_MARKED : FATE_DROPPED);
	return !pkt->markable;
}

/*
 * The documents leave both to the implementation: a packet that is marked is
 * the one that leaves, and a dequeue that has dropped its share lets the next
 * packet leave unseen.
 */
static bool cut_short(struct model *model, bool lost)
{
	struct model_head r = { .pkt = NULL };

	if (!lost)
		return true;
	if (!model->bound || model->fates.len < model->bound)
		return false;
	r.pkt = fifo_take(&model->queue);
	if (r.pkt) {
		fates_add(&model->fates, r.pkt, FATE_DELIVERED);
		model->figures.bounded++;
		return true;
	}
	empty(model);
	model->interrupted = false;
	leave(model, &r);
	return true;
}

/*
 * Senders have an interval to answer the first signal. The queue stands if then all packets are
 * above the ceiling for an interval in which its bytes grow by an eighth, or, if the packet is as
 * old as an interval, in which it loses no more than an eighth. Only
 * a departure shows how long it is.
 */
static void watch(struct model *model, const struct model_head *r, model_ns now)
{
	struct model_watch *watch = &model->watch;
	uint64_t bytes = model->queue.bytes;
	bool over = r->much && r->blamed > model->ceiling;
	bool complete = now - watch->from >= model->interval;

	if (!model->ceiling || model->stands)
		return;
	if (!watch->on && !complete)
		return;
	if (watch->on && over) {
		if (!complete)
			return;
		/* an eighth in whole bytes */
		if (r->blamed >= model->interval ? 8 * bytes >= 7 * watch->bytes :
						   8 * bytes + 7 >= 9 * watch->bytes) {
			model->figures.stood++;
			stand(model, now);
			return;
		}
		model->figures.drained++;
	}
	model->figures.restarted += watch->on && !over;
	*watch = (struct model_watch) { .from = now, .on = true, .bytes = bytes };
}

/* Probability chance/255, exactly. */
static bool chance_selects(struct model *model, unsigned int chance)
{
	unsigned __int128 number = rng_u32(&model->rng);

	return number * 255 < (unsigned __int128)chance << 32;
}

/* Count the signal that is due. It is silent if chance takes its place. */
static void count_due(struct model *model, bool silent)
{
	model->interrupted = true;
	model->figures.silent += silent;
	if (!silent && model->count < UINT32_MAX)
		model->count++;
}

/* This packet is the next one that is looked at in the dropping state. */
static void look_at(struct model *model, const struct model_head *r)
{
	if (!r->ok_to_drop)
		leave(model, r);
	else if (model->interrupted)
		model->drop_next = control_law(model, model->drop_next);
	model->interrupted = false;
}

/* The ceiling has chosen the packet: by chance, or because the queue is that of all. */
static bool ceiling_selects(struct model *model, const struct model_head *r)
{
	if (r->chance) {
		if (chance_selects(model, r->chance)) {
			model->figures.over++;
			return true;
		}
		model->figures.survived++;
	}
	if (model->turns || !beyond_first_ceiling(model, r))
		return false;
	model->figures.first++;
	return true;
}

/*
 * The loop of drops. Return true if the packet that leaves is recorded already.
 *
 * Without a ceiling this is the loop of the documents: while a signal is due,
 * drop and take the next packet. A chance takes the place of signals.
 */
static bool drop_while_due(struct model *model, struct model_head *r,
			   model_ns now)
{
	while (model->dropping) {
		bool due = now >= model->drop_next;
		bool lost = true;

		watch(model, r, now);
		if (due)
			count_due(model, r->chance);
		if (ceiling_selects(model, r))
			fates_add(&model->fates, r->pkt, FATE_DROPPED);
		else if (due && !r->chance)
			lost = drop(model, r->pkt);
		else
			return false;
		if (cut_short(model, lost))
			return true;
		*r = dodequeue(model, now);
		look_at(model, r);
	}
	return false;
}

static bool go_on_dropping(struct model *model, struct model_head *r,
			   model_ns now)
{
	look_at(model, r);
	return drop_while_due(model, r, now);
}

/* As above. */
static bool start_dropping(struct model *model, struct model_head *r,
			   model_ns now)
{
	unsigned long long delta = model->count - model->lastcount;
	bool lost = drop(model, r->pkt);

	model->dropping = true;
	model->figures.entries++;
	model->figures.at_once += model->stands;
	model->count = 1;
	if (delta > 1 && model->drop_next &&
	    now - model->drop_next < 16 * model->interval) {
		model->count = delta;
		model->figures.resumes++;
	}
	model->drop_next = control_law(model, now);
	model->lastcount = model->count;
	model->watch.from = model->ceiling ? now : model->first_above_time;
	model->watch.on = false;
	if (cut_short(model, lost))
		return true;
	*r = dodequeue(model, now);
	model->ended = !r->ok_to_drop;
	/* the documents let this packet leave; the ceiling may drop it */
	return r->ok_to_drop && drop_while_due(model, r, now);
}

/* Not in the documents: each of these drops is one more signal. */
void model_overflow(struct model *model, unsigned int dropped)
{
	unsigned int i;

	for (i = 0; i < dropped; i++) {
		fifo_take(&model->queue);
		if (model->count < UINT32_MAX)
			model->count++;
	}
	/* a queue at its limit grows */
	model->watch.bytes = 0;
}

void model_dequeue(struct model *model, model_ns now)
{
	bool recorded = false;
	struct model_head r;

	/* shown by the packet after the one that entered the state */
	if (model->ended && (model->ceiling || model->stands)) {
		model->dropping = false;
		model->ended = false;
		model->figures.exits++;
	}
	model->fates.len = 0;
	r = dodequeue(model, now);
	if (model->dropping)
		recorded = go_on_dropping(model, &r, now);
	else if (r.ok_to_drop)
		recorded = start_dropping(model, &r, now);
	if (!recorded && r.pkt)
		fates_add(&model->fates, r.pkt, FATE_DELIVERED);
}
