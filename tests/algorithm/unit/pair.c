// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "pair.h"

/* of the subject that is asked, as codel_random_fn has no arguments */
static struct rng *subject_rng;

static u32 subject_random(void)
{
	return rng_u32(subject_rng);
}

static enum codel_waiting subject_waiting(const struct subject *subject,
					  const struct limits *limits)
{
	u64 left = subject->queue.bytes + limits->elsewhere;

	if (left <= limits->mtu)
		return CODEL_LITTLE;
	if (left <= CODEL_MUCH_MTUS * limits->mtu || !fifo_len(&subject->queue))
		return CODEL_STANDING;
	return CODEL_MUCH;
}

static enum codel_verdict subject_ask(struct subject *subject, u64 now,
				      u64 sojourn, const struct limits *limits)
{
	struct codel_head head = {
		.sojourn = sojourn,
		.backlog = subject->queue.bytes,
		.waiting = subject_waiting(subject, limits),
		.shared = !subject->turns,
	};

	if (sojourn >= subject->params.target)
		codel_departure(subject->link, &subject->params, now, sojourn);
	head.held = codel_held(subject->link, now, sojourn);
	return codel_signal(&subject->vars, &subject->params, now, &head,
			    subject_random);
}

/* The caller's loop, as codel.h describes it, with a bound on its work. */
static void subject_dequeue(struct subject *subject, u64 now,
			    const struct limits *limits)
{
	struct fates *fates = &subject->fates;
	struct packet *pkt;

	fates->len = 0;
	subject_rng = &subject->rng;
	while ((pkt = fifo_take(&subject->queue))) {
		enum codel_verdict verdict = CODEL_PASS;

		if (!limits->bound || fates->len < limits->bound)
			verdict = subject_ask(subject, now, now - pkt->enqueued,
					      limits);
		if (verdict == CODEL_PASS) {
			fates_add(fates, pkt, FATE_DELIVERED);
			return;
		}
		if (verdict == CODEL_SIGNAL && pkt->markable) {
			fates_add(fates, pkt, FATE_MARKED);
			return;
		}
		fates_add(fates, pkt, FATE_DROPPED);
	}
	codel_empty(&subject->vars);
}

static bool pair_step_bad;

/*
 * The model takes the steps of codel.h, after a check that they are right:
 * within the last bits of a 31-bit root or the rounding to a ns. So a ns of
 * rounding cannot part the two, and all the rest is compared exactly.
 */
static model_ns pair_step(model_ns interval, unsigned long count)
{
	model_ns step = codel_step(interval, count);
	long double exact = model_exact_step(interval, count);
	long double error = fabsl(step - exact);

	if (step < 1 || (error > 0.51L + exact * 2e-9L && step != 1)) {
		ktap_note("step %lld for interval %lld and count %lu, exact %.3Lf",
			  step, interval, count, exact);
		pair_step_bad = true;
	}
	return step;
}

static bool fifo_alloc(struct fifo *fifo, struct fates *fates)
{
	fifo->slot = calloc(FIFO_SIZE, sizeof(*fifo->slot));
	fates->entry = calloc(FIFO_SIZE, sizeof(*fates->entry));
	return fifo->slot && fates->entry;
}

bool pair_alloc(struct pair *pair)
{
	bool ok;

	memset(pair, 0, sizeof(*pair));
	ok = fifo_alloc(&pair->subject.queue, &pair->subject.fates);
	ok &= fifo_alloc(&pair->model.queue, &pair->model.fates);
	pair->model.step = pair_step;
	pair->subject.link = &pair->own.subject;
	pair->model.link = &pair->own.model;
	pair->subject.params.ceiling = CODEL_CEILING_OFF;
	rng_seed(&pair->subject.rng, 0);
	rng_seed(&pair->model.rng, 0);
	pair_step_bad = false;
	return ok;
}

void pair_free(struct pair *pair)
{
	free(pair->subject.queue.slot);
	free(pair->subject.fates.entry);
	free(pair->model.queue.slot);
	free(pair->model.fates.entry);
}

static void fifo_flush(struct fifo *fifo)
{
	fifo->head = 0;
	fifo->tail = 0;
	fifo->bytes = 0;
}

void pair_reset(struct pair *pair)
{
	struct model *model = &pair->model;

	fifo_flush(&pair->subject.queue);
	fifo_flush(&model->queue);
	memset(&pair->subject.vars, 0, sizeof(pair->subject.vars));
	pair->own = (struct pair_link) { 0 };
	model->first_above_time = 0;
	model->drop_next = 0;
	model->count = 0;
	model->lastcount = 0;
	model->dropping = false;
	model->interrupted = false;
	model->ended = false;
	model->chance = 0;
	model->stands = false;
	model->late = 0;
	model->watch = (struct model_watch) { 0 };
}

void pair_set(struct pair *pair, u64 target, u64 interval)
{
	pair->subject.params.target = target;
	pair->subject.params.interval = interval;
	pair->model.target = target;
	pair->model.interval = interval;
}

void pair_set_ceiling(struct pair *pair, u64 ceiling)
{
	pair->subject.params.ceiling = ceiling;
	pair->model.ceiling = ceiling == CODEL_CEILING_OFF ? 0 : ceiling;
}

void pair_share(struct pair *pair, struct pair_link *link)
{
	pair->subject.link = &link->subject;
	pair->model.link = &link->model;
	pair->subject.turns = true;
	pair->model.turns = true;
}

void pair_set_count(struct pair *pair, u32 count, u32 lastcount)
{
	pair->subject.vars.count = count;
	pair->subject.vars.lastcount = lastcount;
	pair->model.count = count;
	pair->model.lastcount = lastcount;
}

void pair_enqueue(struct pair *pair, u64 now, u32 len, bool markable)
{
	struct packet pkt = {
		.id = pair->next_id++,
		.enqueued = now,
		.len = len,
		.markable = markable,
	};

	fifo_put(&pair->subject.queue, &pkt);
	fifo_put(&pair->model.queue, &pkt);
}

void pair_overflow(struct pair *pair, u32 dropped)
{
	u32 i;

	for (i = 0; i < dropped; i++)
		fifo_take(&pair->subject.queue);
	codel_overflow(&pair->subject.vars, dropped);
	model_overflow(&pair->model, dropped);
	pair->model.figures.overflows++;
}

static void pair_count(struct pair *pair)
{
	const struct fates *fates = &pair->model.fates;
	struct figures *figures = &pair->model.figures;
	u32 i;

	pair->dequeues++;
	for (i = 0; i < fates->len; i++) {
		enum fate fate = fates->entry[i] % 4;

		figures->delivered += fate == FATE_DELIVERED;
		figures->marks += fate == FATE_MARKED;
		figures->drops += fate == FATE_DROPPED;
	}
}

static bool fates_same(const struct pair *pair)
{
	const struct fates *a = &pair->subject.fates;
	const struct fates *b = &pair->model.fates;

	return a->len == b->len &&
	       !memcmp(a->entry, b->entry, a->len * sizeof(*a->entry));
}

/*
 * After the drop that enters the dropping state the pseudo-code takes one more
 * packet and does not heed what that one shows; codel.h leaves the state when
 * it shows the end of the queue. It cannot be seen: the next packet cannot be over
 * first_above_time then, and the model leaves too.
 */
static bool dropping_same(struct pair *pair)
{
	const struct model *model = &pair->model;

	if (pair->subject.vars.dropping == model->dropping)
		return true;
	pair->model.figures.early++;
	return model->dropping && model->ended && !model->interrupted;
}

static bool chance_same(const struct pair *pair)
{
	return pair->subject.vars.stands == pair->model.stands &&
	       pair->subject.vars.chance == pair->model.chance;
}

/* A queue is watched only in the dropping state. */
static bool watch_same(const struct pair *pair)
{
	const struct codel_vars *vars = &pair->subject.vars;
	const struct model_watch *watch = &pair->model.watch;

	if (!vars->dropping || vars->stands)
		return true;
	return vars->answered == watch->on &&
	       (!watch->on || vars->backlog == watch->bytes);
}

/* While a queue stands or is watched, first_above_time has no use in the documents. */
static bool above_same(const struct pair *pair)
{
	const struct codel_vars *vars = &pair->subject.vars;
	const struct model *model = &pair->model;
	model_ns above = model->first_above_time;

	if (vars->stands)
		above = model->late;
	else if (vars->dropping)
		above = model->watch.from;
	return vars->first_above_time == (u64)above;
}

static bool link_same(const struct pair *pair)
{
	const struct codel_link *subject = pair->subject.link;
	const struct model_link *model = pair->model.link;

	return subject->last == (u64)model->last &&
	       subject->still == (u64)model->from &&
	       subject->moved == (u64)model->until;
}

static bool state_same(struct pair *pair)
{
	const struct codel_vars *vars = &pair->subject.vars;
	const struct model *model = &pair->model;

	return dropping_same(pair) && chance_same(pair) && link_same(pair) &&
	       above_same(pair) && watch_same(pair) &&
	       pair->subject.rng.state == model->rng.state &&
	       vars->drop_next == (u64)model->drop_next &&
	       vars->count == model->count &&
	       vars->lastcount == model->lastcount &&
	       pair->subject.queue.bytes == model->queue.bytes;
}

static void pair_explain(const struct pair *pair, u64 now)
{
	const struct codel_vars *vars = &pair->subject.vars;
	const struct model *model = &pair->model;

	ktap_note("now %llu target %lld interval %lld ceiling %lld mtu %llu elsewhere %llu bound %u",
		  (unsigned long long)now, model->target, model->interval,
		  model->ceiling,
		  (unsigned long long)model->maxpacket,
		  (unsigned long long)model->elsewhere, model->bound);
	ktap_note("codel.h: took %u first_above %llu next %llu count %u last %u dropping %d next_pending %d chance %u",
		  pair->subject.fates.len,
		  (unsigned long long)vars->first_above_time,
		  (unsigned long long)vars->drop_next, vars->count,
		  vars->lastcount, vars->dropping, vars->next_pending, vars->chance);
	ktap_note("model:   took %u first_above %lld next %lld count %llu last %llu dropping %d interrupted %d chance %u",
		  model->fates.len, model->first_above_time, model->drop_next,
		  model->count, model->lastcount, model->dropping,
		  model->interrupted, model->chance);
	ktap_note("link: codel.h last %llu still %llu moved %llu, model last %lld from %lld until %lld",
		  (unsigned long long)pair->subject.link->last,
		  (unsigned long long)pair->subject.link->still,
		  (unsigned long long)pair->subject.link->moved,
		  model->link->last, model->link->from, model->link->until);
	ktap_note("codel.h: stands %d answered %d backlog %u; model: stands %d late %lld, watch on %d from %lld with %llu",
		  vars->stands, vars->answered, vars->backlog,
		  model->stands, model->late, model->watch.on,
		  model->watch.from, (unsigned long long)model->watch.bytes);
	if (pair->subject.rng.state != model->rng.state)
		ktap_note("the counts of random numbers differ");
}

bool pair_dequeue(struct pair *pair, u64 now)
{
	bool fates, state;

	subject_dequeue(&pair->subject, now, &pair->limits);
	pair->model.bound = pair->limits.bound;
	pair->model.maxpacket = pair->limits.mtu;
	pair->model.elsewhere = pair->limits.elsewhere;
	model_dequeue(&pair->model, now);
	pair_count(pair);
	fates = fates_same(pair);
	state = state_same(pair);
	if (fates && state && !pair_step_bad)
		return true;
	ktap_note("dequeue %llu: fates %s, state %s, steps %s",
		  (unsigned long long)pair->dequeues,
		  fates ? "same" : "DIFFER", state ? "same" : "DIFFERS",
		  pair_step_bad ? "WRONG" : "right");
	pair_explain(pair, now);
	return false;
}
