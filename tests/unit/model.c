// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct model_head {
	struct packet *pkt;
	bool ok_to_drop;
};

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

/* Take a packet, and find whether the delay has been too long for too long. */
static struct model_head dodequeue(struct model *model, model_ns now)
{
	struct model_head r = { fifo_take(&model->queue), false };
	model_ns sojourn_time;

	if (!r.pkt) {
		model->first_above_time = 0;
		return r;
	}
	sojourn_time = now - (model_ns)r.pkt->enqueued;
	if (sojourn_time < model->target ||
	    model->queue.bytes + model->elsewhere <= model->maxpacket)
		model->first_above_time = 0;
	else if (model->first_above_time == 0)
		model->first_above_time = now + model->interval;
	else if (now >= model->first_above_time)
		r.ok_to_drop = true;
	return r;
}

static void leave(struct model *model, const struct model_head *r)
{
	model->dropping = false;
	model->exits++;
	model->emptied += !r->pkt;
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
	struct model_head r = { NULL, false };

	if (!lost)
		return true;
	if (!model->bound || model->fates.len < model->bound)
		return false;
	r.pkt = fifo_take(&model->queue);
	if (r.pkt) {
		fates_add(&model->fates, r.pkt, FATE_DELIVERED);
		model->bounded++;
		return true;
	}
	model->first_above_time = 0;
	model->interrupted = false;
	leave(model, &r);
	return true;
}

/* In the loop below a packet was dropped, and this one is next. */
static void after_drop(struct model *model, const struct model_head *r)
{
	model->interrupted = false;
	if (r->ok_to_drop)
		model->drop_next = control_law(model, model->drop_next);
	else
		leave(model, r);
}

/* Return true if the packet that leaves is recorded already. */
static bool go_on_dropping(struct model *model, struct model_head *r,
			   model_ns now)
{
	if (model->interrupted)
		after_drop(model, r);
	else if (!r->ok_to_drop)
		leave(model, r);
	while (model->dropping && now >= model->drop_next) {
		bool lost = drop(model, r->pkt);

		if (model->count < UINT32_MAX)
			model->count++;
		model->interrupted = true;
		if (cut_short(model, lost))
			return true;
		*r = dodequeue(model, now);
		after_drop(model, r);
	}
	return false;
}

/* As above. */
static bool start_dropping(struct model *model, struct model_head *r,
			   model_ns now)
{
	unsigned long long delta = model->count - model->lastcount;
	bool lost = drop(model, r->pkt);

	model->dropping = true;
	model->entries++;
	model->count = 1;
	if (delta > 1 && model->drop_next &&
	    now - model->drop_next < 16 * model->interval) {
		model->count = delta;
		model->resumes++;
	}
	model->drop_next = control_law(model, now);
	model->lastcount = model->count;
	if (cut_short(model, lost))
		return true;
	*r = dodequeue(model, now);
	return false;
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
	struct model_head r = dodequeue(model, now);
	bool recorded = false;

	model->fates.len = 0;
	if (model->dropping)
		recorded = go_on_dropping(model, &r, now);
	else if (r.ok_to_drop)
		recorded = start_dropping(model, &r, now);
	if (!recorded && r.pkt)
		fates_add(&model->fates, r.pkt, FATE_DELIVERED);
}
