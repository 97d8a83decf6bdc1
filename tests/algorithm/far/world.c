// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { FREE, AWAY, ACKED, LOST };

void fifo_put(struct fifo *f, struct packet p)
{
	if (f->count == f->size) {
		uint32_t size = f->size ? 2 * f->size : 256, i;
		struct packet *ring = malloc(size * sizeof(*ring));

		for (i = 0; i < f->count; i++)
			ring[i] = f->ring[(f->head + i) % f->size];
		free(f->ring);
		f->ring = ring;
		f->head = 0;
		f->size = size;
	}
	f->ring[(f->head + f->count++) % f->size] = p;
}

struct packet *fifo_first(struct fifo *f)
{
	return f->count ? &f->ring[f->head] : NULL;
}

struct packet fifo_take(struct fifo *f)
{
	struct packet p = f->ring[f->head];

	f->head = (f->head + 1) % f->size;
	f->count--;
	return p;
}

void fifo_free(struct fifo *f)
{
	free(f->ring);
	*f = (struct fifo) {};
}

void sender_start(struct sender *s, uint64_t begin, bool reno)
{
	memset(s, 0, sizeof(*s));
	s->cwnd = 10;
	s->ssthresh = 1e9;
	s->begin = begin;
	s->reno = reno;
}

static void sender_reduce(struct sender *s, uint64_t now)
{
	s->wmax = s->cwnd;
	s->cwnd = fmax(2, s->cwnd * (s->reno ? .5 : .7));
	s->ssthresh = s->cwnd;
	s->epoch = now;
	s->k = cbrt(s->wmax * .3 / .4);
}

static void sender_grow(struct sender *s, uint64_t now)
{
	double t = (now - s->epoch) / 1e9 + s->srtt, aim;

	if (s->cwnd < s->ssthresh) {
		s->cwnd++;
	} else if (s->reno) {
		s->cwnd += 1 / s->cwnd;
	} else {
		aim = fmin(1.5 * s->cwnd, .4 * pow(t - s->k, 3) + s->wmax);
		s->cwnd += aim > s->cwnd ? (aim - s->cwnd) / s->cwnd : .01 / s->cwnd;
	}
}

static void sender_find_losses(struct sender *s, uint32_t number, uint64_t now)
{
	for (; (int32_t)(number - 2 - s->una) > 0; s->una++) {
		if (s->fate[s->una % WORLD_SENT] != AWAY)
			continue;
		s->fate[s->una % WORLD_SENT] = LOST;
		s->inflight--;
		if ((int32_t)(s->una - s->recover) >= 0) {
			sender_reduce(s, now);
			s->recover = s->next;
		}
	}
}

void sender_acked(struct sender *s, uint32_t number, uint64_t now)
{
	uint32_t slot = number % WORLD_SENT;
	double rtt = (now - s->sent[slot]) / 1e9;

	s->heard = now;
	s->timeouts = 0;
	if (s->fate[slot] != AWAY)
		return;
	s->fate[slot] = ACKED;
	s->inflight--;
	s->srtt = s->srtt ? .875 * s->srtt + .125 * rtt : rtt;
	if (s->cwnd < s->inflight + 4)
		sender_grow(s, now);
	sender_find_losses(s, number, now);
	while (s->una != s->next && s->fate[s->una % WORLD_SENT] != AWAY)
		s->una++;
}

static void sender_timeout(struct sender *s, uint64_t now)
{
	for (; s->una != s->next; s->una++)
		s->fate[s->una % WORLD_SENT] = LOST;
	s->inflight = 0;
	s->ssthresh = s->wmax = fmax(2, s->cwnd / 2);
	s->cwnd = 1;
	s->k = 0;
	s->recover = s->next;
	s->heard = s->epoch = now;
	s->timeouts++;
}

/* Doubled for each timeout in a row (RFC 6298) */
static double sender_patience(const struct sender *s)
{
	double patience = s->srtt ? fmax(.25, 2.5 * s->srtt) : 1;

	return patience * (1 << (s->timeouts < 6 ? s->timeouts : 6));
}

bool sender_may(struct sender *s, uint64_t now)
{
	if (now < s->begin)
		return false;
	if (s->inflight && now - s->heard > sender_patience(s) * 1e9)
		sender_timeout(s, now);
	return s->inflight < (uint32_t)s->cwnd && s->next - s->una < WORLD_SENT - 1;
}

uint32_t sender_send(struct sender *s, uint64_t now)
{
	uint32_t slot = s->next % WORLD_SENT;

	s->fate[slot] = AWAY;
	s->sent[slot] = now;
	if (!s->inflight++)
		s->heard = now;
	return s->next++;
}

void course_add(struct course *c, double seconds, double rate)
{
	c->step = realloc(c->step, (c->count + 1) * sizeof(*c->step));
	c->step[c->count].at = seconds * 1e9;
	c->step[c->count++].rate = rate;
}

bool course_read(struct course *c, const char *path)
{
	FILE *f = fopen(path, "r");
	double at, rate;
	char line[256];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (*line != '#' && sscanf(line, "%lf %lf", &at, &rate) == 2)
			course_add(c, at, rate);
	fclose(f);
	return c->count > 0;
}

double course_rate(struct course *c, uint64_t now)
{
	while (c->now + 1 < c->count && c->step[c->now + 1].at <= now)
		c->now++;
	return c->step[c->now].rate;
}

double course_bytes(const struct course *c, uint64_t from, uint64_t to)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		uint64_t a = c->step[i].at > from ? c->step[i].at : from;
		uint64_t b = i + 1 < c->count && c->step[i + 1].at < to ? c->step[i + 1].at : to;

		if (a < b)
			sum += c->step[i].rate / 8 * ((b - a) / 1e9);
	}
	return sum;
}

void course_free(struct course *c)
{
	free(c->step);
	*c = (struct course) {};
}
