// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "far/codel_far_up.h"
#include "qdisc/codel_far_marks.h"
#include "scene.h"

#define LATE		(40 * WORLD_MS)
#define BUCKETS		200000	/* of 0.1 ms */
#define SEGMENT		1448
#define PINGS		(20 * WORLD_MS)
#define CLOCK		(777777 * WORLD_SEC)	/* of the other hosts */

struct delays {
	uint64_t count;
	uint32_t bucket[BUCKETS];
};

/* Packets of a flow that its receiver has not acknowledged yet */
struct receiver {
	struct packet packet[16];
	uint32_t count;
	uint64_t due;
};

static struct {
	struct scene *scene;
	uint64_t now;
	struct rng rng;
	struct sender sender[WORLD_FLOWS];
	struct receiver receiver[WORLD_FLOWS];
	struct fifo queue[WORLD_FLOWS], pings, modem, path[WORLD_FLOWS], coming[WORLD_FLOWS];
	struct codel_vars vars[WORLD_FLOWS];
	bool greeted[WORLD_FLOWS];	/* its receiver has acknowledged the handshake */
	uint32_t turn;
	uint32_t took;	/* packets of the flow whose turn it is */
	bool serving;
	struct packet served;
	double work;
	uint64_t next_ping;

	struct codel_far_window window;
	struct codel_far_up up;
	struct codel_far_marks marks;

	double carried;	/* bytes over the link */
	double own;	/* of them, those that passed the router */
	struct delays bulk, ping;
} s;

static const struct codel_params here = {
	.target = 5 * WORLD_MS, .interval = 100 * WORLD_MS, .ceiling = CODEL_CEILING_OFF,
};

static void delays_add(struct delays *d, uint64_t ns)
{
	uint64_t b = ns / 100000;

	d->bucket[b < BUCKETS ? b : BUCKETS - 1]++;
	d->count++;
}

static double delays_part(const struct delays *d, double part)
{
	uint64_t left = part * d->count;
	uint32_t i;

	for (i = 0; i < BUCKETS - 1 && d->bucket[i] <= left; i++)
		left -= d->bucket[i];
	return i / 10.;
}

static uint32_t key(int flow)
{
	return (flow + 1) * 0x9e3779b9U;
}

static uint32_t all_flows(void)
{
	return s.scene->flows + s.scene->neighbours;
}

/* Its packets do not pass the router. */
static bool is_neighbour(int flow)
{
	return flow >= (int)s.scene->flows;
}

/* Is the code under test in force? */
static bool follows(void)
{
	return s.scene->method == SCENE_FAR && s.now >= s.scene->on;
}

static uint64_t round_trip(int flow)
{
	uint64_t rtt = flow % 2 && s.scene->rtt2 ? s.scene->rtt2 : s.scene->rtt;

	return s.scene->path_at && s.now >= s.scene->path_at ? rtt + s.scene->path_by : rtt;
}

/* The delay on the way back: from the least to the most, and down again */
static uint64_t way_back(void)
{
	uint64_t wave = s.scene->wave, phase = s.now % wave, least = s.scene->back_least;

	return least + (s.scene->back - least) * (phase < wave / 2 ? phase : wave - phase) / (wave / 2);
}

static uint32_t stamp(uint64_t left)
{
	return s.scene->tick ? (CLOCK + left) / s.scene->tick : 0;
}

static uint32_t now_ms(void)
{
	return s.now / WORLD_MS;
}

/* What has come in for others, whose packets wait on the way back as long as the acknowledgements do */
static uint64_t arrived(void)
{
	return s.now / 1e9 * s.scene->arrivals / 8;
}

/* The router, up: the acknowledgement of packets up to @last passes. */
static void router_hears(int flow, uint32_t edge, uint64_t left, bool single)
{
	struct codel_far_match match;
	struct codel_far_answer answer = { .now = s.now };

	if (!codel_far_marks_answer(&s.marks, &match, key(flow), edge))
		return;
	answer.path = &s.marks.flows[match.flow].path;
	answer.flow = match.flow;
	answer.arrived = arrived();
	answer.timed = match.timed;
	answer.single = single;
	answer.stamped = s.scene->tick;
	answer.stamp = stamp(left);
	codel_far_answered(&s.window, &match.mark, &answer);
}

/*
 * The handshake. Down: its first packet has a time stamp, which the answer echoes at once. Up: its first packet passes the
 * queues as a ping does, and the sender begins when it is acknowledged.
 */
static void greet(int flow)
{
	struct packet p = { .flow = flow, .bytes = WORLD_PING, .syn = true, .at = s.now, .echo = now_ms() };

	if (is_neighbour(flow) || s.greeted[flow] || s.now + 3 * round_trip(flow) / 2 < s.sender[flow].begin)
		return;
	s.greeted[flow] = true;
	if (!s.scene->down) {
		s.sender[flow].begin = UINT64_MAX;
		fifo_put(&s.pings, p);
		return;
	}
	p.left = s.now + round_trip(flow) / 2;
	p.at = s.now + round_trip(flow);
	fifo_put(&s.coming[flow], p);
	if (follows())
		codel_far_marks_stamp(&s.marks, &s.up, s.now, key(flow), now_ms());
}

/* The router, down: may the packet pass? */
static bool router_passes(const struct packet *p)
{
	struct codel_far_match match;
	struct codel_far_answer answer = { .now = s.now };
	bool slow = false;

	if (p->echo)
		codel_far_flow_get(&s.marks, s.now, key(p->flow), p->echo, !p->syn);
	if (p->echo && codel_far_marks_answer(&s.marks, &match, key(p->flow), p->echo) && match.exact) {
		answer.path = &s.marks.flows[match.flow].path;
		answer.flow = match.flow;
		answer.stamped = s.scene->tick;
		answer.stamp = stamp(p->left);
		slow = codel_far_up_answered(&s.up, &answer, s.now - match.mark.at);
	}
	return p->syn || (codel_far_up_signal(&s.up, s.now, p->bytes) == CODEL_PASS && !slow);
}

/* The router, up: a packet leaves. */
static void router_sent(const struct packet *p)
{
	uint32_t bytes = p->syn ? 1 : SEGMENT, number = p->syn ? 1 : (p->number + 1) * SEGMENT, place;

	codel_far_sent(&s.window, s.now, p->bytes);
	if (p->flow < 0 || !codel_far_wants_mark(&s.window))
		return;
	place = codel_far_flow_get(&s.marks, s.now, key(p->flow), number - bytes, true);
	if (place != CODEL_FAR_NONE && codel_far_flow_sends(&s.marks, place, number))
		codel_far_ask(&s.window, codel_far_marks_add(&s.marks, place, number), s.now);
}

static void acknowledge(int flow)
{
	struct receiver *r = &s.receiver[flow];
	struct packet *last = &r->packet[r->count - 1];
	bool late = r->count < s.scene->every;
	uint32_t i;

	if (follows() && !s.scene->down && !is_neighbour(flow))
		router_hears(flow, (last->number + 1) * SEGMENT, late ? last->left + LATE : last->left, r->count == 1);
	for (i = 0; i < r->count; i++)
		sender_acked(&s.sender[flow], r->packet[i].number, s.now);
	s.sender[flow].echo = r->packet[0].echo;
	r->count = 0;
}

/* Up: the handshake is acknowledged. */
static void greeted(int flow, uint64_t left)
{
	if (follows())
		router_hears(flow, 1, left, false);
	s.sender[flow].begin = s.now;
}

static void receive(int flow)
{
	struct receiver *r = &s.receiver[flow];
	struct packet *p;

	while ((p = fifo_first(&s.path[flow])) && p->at <= s.now) {
		if (p->syn) {
			greeted(flow, fifo_take(&s.path[flow]).left);
			continue;
		}
		if (!r->count)
			r->due = p->at + LATE;
		r->packet[r->count++] = fifo_take(&s.path[flow]);
		if (r->count >= s.scene->every)
			acknowledge(flow);
	}
	if (r->count && r->due <= s.now)
		acknowledge(flow);
}

static void modem_put(struct packet p)
{
	p.at = s.now;
	if (s.scene->method == SCENE_IDEAL && s.scene->down)
		fifo_put(p.flow < 0 || p.syn ? &s.pings : &s.queue[p.flow], p);
	else if (s.modem.count < s.scene->buffer)
		fifo_put(&s.modem, p);
}

static void send_new(int flow)
{
	struct sender *sender = &s.sender[flow];
	struct packet p = { .flow = flow, .bytes = WORLD_BYTES, .at = s.now };

	while (sender_may(sender, s.now)) {
		p.number = sender_send(sender, s.now);
		p.echo = sender->echo;
		p.left = s.now;
		if (s.scene->down)
			p.at = s.now + round_trip(flow) / 2;
		if (!s.scene->down && is_neighbour(flow))
			modem_put(p);
		else
			fifo_put(s.scene->down ? &s.coming[flow] : &s.queue[flow], p);
	}
}

static bool waits(void)
{
	uint32_t i;

	for (i = 0; i < s.scene->flows; i++)
		if (s.queue[i].count)
			return true;
	return false;
}

/* The flow has sent a packet. Before a window, a turn has two: receivers acknowledge the second at once. */
static void end_turn(uint32_t flow)
{
	bool pairs = follows() && !s.scene->down;

	s.took = flow == s.turn ? s.took + 1 : 1;
	s.turn = flow;
	if (pairs && s.took < 2)
		return;
	s.turn = (flow + 1) % s.scene->flows;
	s.took = 0;
}

/* Pings first, then the flows in turn, each with a CoDel. */
static bool dequeue(struct packet *p)
{
	uint32_t n, i;

	if (s.pings.count) {
		*p = fifo_take(&s.pings);
		return true;
	}
	for (n = 0; n < s.scene->flows; n++) {
		i = (s.turn + n) % s.scene->flows;
		while (s.queue[i].count) {
			struct codel_head head;

			*p = fifo_take(&s.queue[i]);
			head = (struct codel_head) {
				.sojourn = s.now - p->at,
				.waiting = s.queue[i].count > 1 ? CODEL_STANDING : CODEL_LITTLE,
			};
			if (codel_signal(&s.vars[i], &here, s.now, &head, NULL) == CODEL_PASS) {
				end_turn(i);
				return true;
			}
		}
		codel_empty(&s.vars[i]);
	}
	return false;
}

static void route_up(void)
{
	struct packet p;

	while (s.pings.count || (waits() && (!follows() ||
					     codel_far_may_send(&s.window, s.now)))) {
		if (!dequeue(&p))
			break;
		if (follows())
			router_sent(&p);
		modem_put(p);
	}
}

static void route_down(void)
{
	uint32_t n, i;

	while (s.pings.count && s.scene->method != SCENE_IDEAL)
		modem_put(fifo_take(&s.pings));
	for (n = 0; n < all_flows(); n++) {
		i = (n + s.now / WORLD_STEP) % all_flows();
		while (s.coming[i].count && fifo_first(&s.coming[i])->at <= s.now)
			modem_put(fifo_take(&s.coming[i]));
	}
}

static void measure(const struct packet *p)
{
	if (s.now < s.scene->begin)
		return;
	s.carried += p->bytes;
	if (is_neighbour(p->flow))
		return;
	delays_add(p->flow < 0 ? &s.ping : &s.bulk, s.now - p->at);
	s.own += p->bytes;
}

/* A packet has crossed the link. */
static void deliver(struct packet p)
{
	if (!p.syn)
		measure(&p);
	if (p.flow < 0)
		return;
	if (s.scene->down && follows() && !is_neighbour(p.flow)) {
		if (!router_passes(&p))
			return;
		codel_far_marks_stamp(&s.marks, &s.up, s.now, key(p.flow), now_ms());
	}
	if (s.scene->down)
		p.echo = now_ms();
	if (p.syn && s.scene->down) {
		s.sender[p.flow].echo = p.echo;
		return;
	}
	p.left = s.now;
	p.at = s.now + way_back() + round_trip(p.flow) / (s.scene->down ? 2 : 1);
	fifo_put(&s.path[p.flow], p);
}

static bool serve(void)
{
	if (s.scene->method == SCENE_IDEAL) {
		if (!dequeue(&s.served))
			return false;
		s.served.at = s.now;
	} else {
		if (!s.modem.count)
			return false;
		s.served = fifo_take(&s.modem);
	}
	s.serving = true;
	s.work = s.served.bytes;
	return true;
}

static void link_step(void)
{
	double budget = course_rate(&s.scene->course, s.now) / 8 * (WORLD_STEP / 1e9);

	while (budget > 0 && (s.serving || serve())) {
		if (s.work > budget) {
			s.work -= budget;
			return;
		}
		budget -= s.work;
		s.serving = false;
		deliver(s.served);
	}
}

static void step(void)
{
	uint32_t i;

	for (i = 0; i < all_flows(); i++)
		receive(i);
	for (i = 0; i < all_flows(); i++) {
		greet(i);
		send_new(i);
	}
	if (s.now >= s.next_ping) {
		fifo_put(&s.pings, (struct packet) { .flow = -1, .bytes = WORLD_PING, .at = s.now });
		s.next_ping += PINGS;
	}
	if (s.scene->down)
		route_down();
	else if (s.scene->method != SCENE_IDEAL)
		route_up();
	link_step();
}

static void start(struct scene *scene)
{
	uint32_t i;

	memset(&s, 0, sizeof(s));
	s.scene = scene;
	rng_seed(&s.rng, scene->seed);
	codel_far_window_start(&s.window, WORLD_BYTES);
	codel_far_up_start(&s.up, WORLD_BYTES);
	codel_far_marks_start(&s.marks);
	for (i = 0; i < all_flows(); i++)
		sender_start(&s.sender[i], 3 * round_trip(i) / 2 + i * scene->gap +
			     rng_even(&s.rng, 0, 20 * WORLD_MS), scene->reno);
}

static void finish(void)
{
	uint32_t i;

	fifo_free(&s.pings);
	fifo_free(&s.modem);
	for (i = 0; i < all_flows(); i++) {
		fifo_free(&s.queue[i]);
		fifo_free(&s.path[i]);
		fifo_free(&s.coming[i]);
	}
}

struct scene scene_usual(void)
{
	return (struct scene) {
		.method = SCENE_FAR,
		.flows = 4,
		.rtt = 40 * WORLD_MS,
		.buffer = 1000,
		.every = 2,
		.gap = 37 * WORLD_MS,
		.tick = WORLD_MS,
		.wave = 700 * WORLD_MS,
		.begin = 5 * WORLD_SEC,
		.end = 60 * WORLD_SEC,
		.seed = 1,
	};
}

void scene_run(struct scene *scene, struct scene_result *result)
{
	start(scene);
	for (s.now = WORLD_STEP; s.now < scene->end; s.now += WORLD_STEP)
		step();
	result->share = s.carried / course_bytes(&scene->course, scene->begin, scene->end);
	result->own = s.own / course_bytes(&scene->course, scene->begin, scene->end);
	result->p50 = delays_part(&s.bulk, .5);
	result->p95 = delays_part(&s.bulk, .95);
	result->p99 = delays_part(&s.bulk, .99);
	result->ping95 = delays_part(&s.ping, .95);
	result->path = codel_far_path_rtt(&s.marks.flows[codel_far_place(key(0))].path) / 1e6;
	finish();
}
