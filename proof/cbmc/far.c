// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * far/codel_far_window.h and codel_far_follow.h, from any state: the window keeps its bounds, a
 * standstill of any length ends, and without answers nothing is learnt.
 */
#include "any.h"
#include "far/codel_far_follow.h"

/* ---- contracts: quotients of bounded times and bytes, any of them ---- */

static u64 any_time(void)
{
	u64 time = nondet_u64();

	suppose(time <= CODEL_FAR_RTT_MAX);
	return time;
}

u64 contract_packet_time(const struct codel_far_window *w)
{
	(void)w;
	return any_time();
}

/* Bytes of a window, and half a packet that it is to grow by */
#define AIM_BYTES_MAX	(CODEL_FAR_WINDOW_MAX + CODEL_FAR_PACKET_MAX / 2)

static u64 aim, allowed;

u64 contract_aim(const struct codel_far_window *w, u64 bytes, u64 target)
{
	prove(bytes <= AIM_BYTES_MAX && codel_far_unqueued(w) + target <= ~0ULL / AIM_BYTES_MAX,
	      "codel_far_aim: the product fits");
	return aim;
}

u64 contract_allowed(const struct codel_far_window *w, u64 now)
{
	(void)w;
	(void)now;
	return allowed;
}

/* ---- any state ---- */

static u64 any_window_bytes(void)
{
	u64 bytes = nondet_u64();

	suppose(bytes <= CODEL_FAR_WINDOW_MAX);
	return bytes;
}

static struct codel_far_window any_window(void)
{
	struct codel_far_window w = {
		.sent = nondet_u64(), .done = nondet_u64(), .asked = nondet_u64(),
		.window = any_window_bytes(), .packet = nondet_u64(), .pace = nondet_u32(),
		.next = any_now(1), .news = any_now(1), .limited = any_now(1),
		.released = any_now(1), .dip = any_now(1), .rtt = any_time(), .path = any_time(),
		.beside = any_time(), .delay = any_time(), .queued = any_time(),
		.bytes = any_window_bytes(), .epoch = nondet_u32(), .deep = nondet_bool(),
	};

	suppose(w.packet >= 1 && w.packet <= CODEL_FAR_PACKET_MAX);
	suppose(w.done <= w.sent && w.sent <= NOW_MAX && w.asked <= w.sent);
	suppose(w.queued <= w.delay && w.path + w.beside <= CODEL_FAR_RTT_MAX);
	return w;
}

static bool same_knowledge(const struct codel_far_window *a, const struct codel_far_window *b)
{
	return a->window == b->window && a->done == b->done && a->rtt == b->rtt &&
	       a->path == b->path && a->beside == b->beside && a->delay == b->delay &&
	       a->queued == b->queued && a->bytes == b->bytes && a->epoch == b->epoch;
}

/* ---- proofs ---- */

/* The window follows: its bounds, and the least and the most that one answer does. */
void prove_far_bounds(void)
{
	struct codel_far_window w = any_window(), old;
	struct codel_far_mark mark = {
		.at = any_now(1), .sent = nondet_u64(), .beyond = any_window_bytes(),
		.window = any_window_bytes(),
	};
	u64 least;

	aim = nondet_u64();
	suppose(w.window >= codel_far_floor(&w));
	old = w;
	codel_far_follow(&w, &mark);
	least = codel_far_min(old.window, codel_far_max(codel_far_floor(&w), mark.window / 2));
	prove(w.window >= codel_far_floor(&w) && w.window <= CODEL_FAR_WINDOW_MAX,
	      "two packets at least, and 1 GiB at most");
	prove(w.window >= least, "an answer halves the window of its packet at most");
	prove(w.window <= codel_far_max(old.window, CODEL_FAR_GROWTH * mark.window),
	      "it grows to four times the window of its packet at most");
	prove(w.window <= old.window || w.limited >= mark.at,
	      "it grows only if it has held packets back");
	prove(mark.window || w.window == old.window, "an answer from before the window tells nothing");
	reached();
}

/* A delay that stays */
void prove_far_watch(void)
{
	struct codel_far_watch w = {
		.since = any_now(1), .above = nondet_u64(), .turn = any_now(1), .turns = nondet_u32(),
		.rate = nondet_u64(), .least = nondet_u64(), .most = nondet_u64(),
	};
	u64 now = any_now(1), rtt = any_time(), rate = nondet_u64(), since = w.since;
	enum codel_far_cause cause;

	suppose(w.turns < ~0U);
	cause = codel_far_watch(&w, now, rtt, rate);
	prove(cause == CODEL_FAR_OURS ||
	      (now > since + CODEL_FAR_STUCK_MIN && w.turns > CODEL_FAR_STUCK / 2),
	      "a delay is its own for a second and four round trips");
	prove(cause != CODEL_FAR_PATH || w.most - w.least <= CODEL_FAR_STEADY,
	      "a path is steady");
	reached();
}

/* The delay does not follow the window. */
void prove_far_alone(void)
{
	struct codel_far_window w = any_window();
	struct codel_far_mark mark = { .beyond = any_window_bytes() };
	struct codel_far_answer answer = { .now = any_now(1) };
	u64 now = any_now(1);

	w.alone = nondet_u64();
	suppose(w.alone <= CODEL_FAR_ALONE_MAX && answer.now >= now);
	codel_far_give_up(&w, now);
	prove(w.alone <= CODEL_FAR_ALONE_MAX && w.alone_until == now + w.alone,
	      "a far queue is left alone for five minutes at most");
	suppose(answer.now < w.alone_until);
	codel_far_begin(&w, &mark, &answer);
	prove(!w.window, "and has no window then");
	reached();
}

/* No answer comes. */
void prove_far_standstill(void)
{
	struct codel_far_window w = any_window(), old = w;
	u64 latest = codel_far_max(w.news, w.released);
	u64 now = any_now(latest);

	allowed = nondet_u64();
	suppose(latest <= NOW_MAX - CODEL_FAR_PATIENCE_MAX && allowed <= CODEL_FAR_WINDOW_MAX);
	prove(codel_far_may_send(&w, now) || now < latest + CODEL_FAR_PATIENCE_MAX,
	      "a packet leaves after a second, whatever the link does");
	prove(same_knowledge(&w, &old), "nothing is learnt from a packet that waits");
	reached();
}

/* Packets leave, and are marked. */
void prove_far_leaves(void)
{
	struct codel_far_window w = any_window(), old = w;
	struct codel_far_mark mark;
	u64 now = any_now(1);
	u32 bytes = nondet_u32();

	allowed = any_window_bytes();
	suppose(bytes <= CODEL_FAR_PACKET_MAX && w.next <= NOW_MAX - (1ULL << 52));
	codel_far_may_send_sparse(&w);
	codel_far_sent(&w, now, bytes);
	codel_far_ask(&w, &mark, now);
	prove(same_knowledge(&w, &old), "nothing is learnt from a packet that leaves");
	prove(mark.beyond <= CODEL_FAR_WINDOW_MAX && mark.window <= CODEL_FAR_WINDOW_MAX &&
	      mark.sent == old.sent + bytes && mark.at == now, "a mark is in its bounds");
	reached();
}
