// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct model_head {
	struct packet *pkt;
	bool ok_to_drop;
	model_ns sojourn_time;
	model_ns blamed;	/* of it, on the senders */
	bool much;	/* waits behind it */
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

/* In turns, a packet that has waited for a whole interval shows that the delay persists. */
static void single_packet(struct model *model, model_ns blamed, model_ns now)
{
	if (!model->turns || !model->ceiling || model->dropping ||
	    blamed < model->interval)
		return;
	model->figures.watched += !model->first_above_time ||
				  model->first_above_time > now;
	model->first_above_time = now;
}

/* Take a packet, and find whether the delay has been too long for too long. */
static struct model_head dodequeue(struct model *model, model_ns now)
{
	struct model_head r = { .pkt = fifo_take(&model->queue) };
	model_ns sojourn_time;
	uint64_t left;

	if (!r.pkt) {
		model->first_above_time = 0;
		return r;
	}
	sojourn_time = now - (model_ns)r.pkt->enqueued;
	left = model->queue.bytes + model->elsewhere;
	r.sojourn_time = sojourn_time;
	r.much = left > 4 * model->maxpacket && fifo_len(&model->queue);
	if (sojourn_time >= model->target)
		link_moves(model, sojourn_time, now);
	r.blamed = blamed_time(model, r.pkt->enqueued, now);
	model->figures.held += r.blamed < sojourn_time;
	if (r.much)
		single_packet(model, r.blamed, now);
	if (sojourn_time < model->target || left <= model->maxpacket)
		model->first_above_time = 0;
	else if (model->first_above_time == 0 ||
		 model->first_above_time - now > model->interval)
		model->first_above_time = now + model->interval;
	else if (now >= model->first_above_time)
		r.ok_to_drop = true;
	return r;
}

static void leave(struct model *model, const struct model_head *r)
{
	model->dropping = false;
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
	model->first_above_time = 0;
	model->interrupted = false;
	leave(model, &r);
	return true;
}

model_ns model_ceiling(const struct model *model)
{
	model_ns first = 5 * model->interval / 4;

	return model->overload || model->ceiling > first ? model->ceiling : first;
}

/*
 * The chance of the packet after this one, in 255ths: the last step of 1/255 that the straight
 * line from three eighths of the ceiling to the ceiling has reached, or its square.
 */
static unsigned int next_chance(const struct model *model, const struct model_head *r)
{
	model_ns ceiling = model_ceiling(model), begins = 3 * (ceiling / 8);
	__int128 beyond = r->blamed - begins;
	unsigned int line = 0, bit;

	if (!model->ceiling || !r->much || beyond <= 0)
		return 0;
	for (bit = 128; bit; bit /= 2)
		if ((line + bit) * (__int128)(ceiling - begins) <= beyond * 255)
			line += bit;
	return model->overload ? line : line * line / 255;
}

/* Senders may still respond until the seventh signal. */
static bool early(const struct model *model)
{
	return model->count < 7;
}

/*
 * A chance for two intervals shows that the senders do not slow down, and none for as long
 * that they do.
 */
static void watch_overload(struct model *model, model_ns now)
{
	bool late = model->chance > 0;

	if (!model->ceiling)
		return;
	if (late == model->overload) {
		model->agreed = now;
	} else if (now - model->agreed < 2 * model->interval) {
		return;
	} else if (late && early(model)) {
		model->figures.awaited++;
	} else {
		model->overload = late;
		model->agreed = now;
		model->figures.overloads += late;
		model->figures.calmed += !late;
	}
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

/*
 * Chance has chosen the packet: it is dropped. But before an overload, one that is below the
 * ceiling is marked if it can be.
 */
static bool drop_selected(struct model *model, const struct model_head *r)
{
	model->figures.over++;
	if (!model->overload && r->blamed < model_ceiling(model))
		return drop(model, r->pkt);
	fates_add(&model->fates, r->pkt, FATE_DROPPED);
	return true;
}

/*
 * The loop of drops. Return true if the packet that leaves is recorded already.
 *
 * With a chance of 0 this is the loop of the documents: while a signal is due,
 * drop and take the next packet. During an overload, chance takes the place of signals.
 */
static bool drop_while_due(struct model *model, struct model_head *r,
			   model_ns now)
{
	while (model->dropping) {
		unsigned int chance = model->chance;
		bool due = now >= model->drop_next;
		bool silent, lost = true;

		model->chance = next_chance(model, r);
		watch_overload(model, now);
		if (!model->ceiling || !r->much)
			chance = 0;
		else if (model->chance == 255)
			chance = 255;
		silent = chance && model->overload;
		if (due)
			count_due(model, silent);
		else if (!chance)
			return false;
		if (chance && chance_selects(model, chance)) {
			lost = drop_selected(model, r);
		} else if (due && !silent) {
			lost = drop(model, r->pkt);
		} else {
			model->figures.survived++;
			return false;
		}
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
	if (now - model->drop_next >= 2 * model->interval)
		model->overload = false;
	model->figures.kept += model->overload;
	model->count = 1;
	if (delta > 1 && model->drop_next &&
	    now - model->drop_next < 16 * model->interval) {
		model->count = delta;
		model->figures.resumes++;
	}
	model->drop_next = control_law(model, now);
	model->lastcount = model->count;
	model->agreed = model->ceiling ? now : model->first_above_time;
	model->chance = next_chance(model, r);
	watch_overload(model, now);
	if (cut_short(model, lost))
		return true;
	*r = dodequeue(model, now);
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
}

void model_dequeue(struct model *model, model_ns now)
{
	bool recorded = false;
	struct model_head r;

	/* shown by the packet after the one that entered the state */
	if (model->ceiling && model->dropping && !model->first_above_time) {
		model->dropping = false;
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
