/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue behind this device: a window bounds the bytes beyond the device.
 *
 * The far queue is a FIFO: an answer to a packet shows that all packets before it have left, too.
 * No answer, no packet: so a link that stands still gets none. codel_far_follow.h sets the window.
 *
 * Windows are bounded, so that no product overflows.
 */
#ifndef CODEL_FAR_WINDOW_H
#define CODEL_FAR_WINDOW_H

#include "codel_far_back.h"
#include "codel_far_watch.h"

/*
 * The delay that downstream leaves in the far queue, beside five quarters of the time of a packet
 * there: without a queue a link whose rate rises would be idle. 8 to 25 ms, and one to two packets,
 * were tried.
 */
#define CODEL_FAR_TARGET	(9 * CODEL_FAR_MSEC)

/* The window is 2 packets at least: one is sent while the answer to the other comes back. */
#define CODEL_FAR_PACKETS_MIN	2

/* Sparse flows have TCP's initial window (RFC 6928) beyond the device, at least; packets */
#define CODEL_FAR_PACKETS_SPARSE 10

/*
 * Packets leave in bursts of this time. Otherwise a window leaves at once when its answers come
 * together, because packets of the other direction were between them, and that again and again:
 * the link is idle for half of the time, and the delay is that of the burst.
 */
#define CODEL_FAR_BURST		(2 * CODEL_FAR_MSEC)

/* The window is this at most, bytes */
#define CODEL_FAR_WINDOW_MAX	(1024ULL * 1024 * 1024)

/* The bytes beyond the device have about 64 marks: at high rates, not each packet has one. */
#define CODEL_FAR_MARKS_SHIFT	6

/* The longest packet, bytes */
#define CODEL_FAR_PACKET_MAX	(1024U * 1024)

/* Bounds of the time without an answer after which one packet is released */
#define CODEL_FAR_PATIENCE_MIN	(50 * CODEL_FAR_MSEC)
#define CODEL_FAR_PATIENCE_MAX	(1000 * CODEL_FAR_MSEC)

/* No answer for this long ends the window, until an answer comes. */
#define CODEL_FAR_BLIND		(4000 * CODEL_FAR_MSEC)

/**
 * struct codel_far_window - the bytes beyond the device
 * @sent: bytes that have left the qdisc
 * @done: of these, bytes that have left the far queue
 * @asked: @sent at the latest mark
 * @open: packets leave without a closer look until @sent is beyond this
 * @window: bytes beyond the device that are allowed; 0 before the far queue stands: no bound
 * @packet: of a full packet, bytes, CODEL_FAR_PACKET_MAX at most
 * @pace: time of a byte, ns / 256
 * @next: when the next packet may leave, ns
 * @news: the latest answer, or, if none was expected then, the mark after it, ns
 * @limited: when a packet was held back last, ns
 * @released: when a packet was released without an answer, ns
 * @dip: the begin of the latest reduction of the window, ns
 * @dip_path: then, of the flow @dip_flow, ns
 * @rtt: of the latest answer, ns
 * @path: of its flow, ns
 * @beside: of @rtt, what neither @path nor @delay have: packets wait on the way back, ns
 * @delay: in the far queue, ns
 * @queued: of @delay, the time in which the link moved, ns
 * @still: begin of its latest standstill, ns
 * @still_until: the end, ns
 * @bytes: beyond the device when the packet of the latest answer had left, it included
 * @watch: a delay that is too long
 * @back: the way back of answers without time stamps
 * @alone: for how long there was no window when @watch found others' packets last, ns
 * @alone_until: there is no window before, ns
 * @dip_flow: whose answer was the latest at @dip
 * @unclear: the delay of the latest answer may be that of the way back
 * @deep: the reduction is one to half of the bytes beyond the device
 * @epoch: paths of an older one are void
 * @idle: the latest answer while there was no window and no queue, ns; 0 before
 * @idle_done: @done then
 * @excess: of the flows
 *
 * The sender alone changes @sent and @next. It needs no lock against answers in
 * codel_far_is_open(), codel_far_sent() and codel_far_wants_mark().
 */
struct codel_far_window {
	u64 sent;
	u64 done;
	u64 asked;
	u64 open;
	u64 window;
	u64 packet;
	u64 pace;
	u64 next;
	u64 news;
	u64 limited;
	u64 released;
	u64 dip;
	u64 dip_path;
	u64 rtt;
	u64 path;
	u64 beside;
	u64 delay;
	u64 queued;
	u64 still;
	u64 still_until;
	u64 bytes;
	u64 alone;
	u64 alone_until;
	u64 idle;
	u64 idle_done;
	u32 dip_flow;
	u32 epoch;
	bool unclear;
	bool deep;
	struct codel_far_excess excess;
	struct codel_far_watch watch;
	struct codel_far_back back;
};

/**
 * struct codel_far_mark - what is kept of a packet that has left
 * @at: when, ns
 * @sent: of struct codel_far_window, the packet included
 * @beyond: bytes beyond the device, the packet included; CODEL_FAR_WINDOW_MAX at most. Without
 *	answers, there may be any number
 * @window: in force; 0 before there was one
 */
struct codel_far_mark {
	u64 at;
	u64 sent;
	u64 beyond;
	u64 window;
};

/* Start anew, with a full packet of @packet bytes. */
static inline void codel_far_window_start(struct codel_far_window *w, u32 packet)
{
	*w = (struct codel_far_window) {
		.packet = codel_far_clamp(packet, 1, CODEL_FAR_PACKET_MAX),
		.open = ~0ULL,
	};
}

static inline u64 codel_far_beyond(const struct codel_far_window *w)
{
	return READ_ONCE(w->sent) - READ_ONCE(w->done);
}

/* Is there a mark without an answer? */
static inline bool codel_far_expects(const struct codel_far_window *w)
{
	return w->asked > w->done;
}

static inline u64 codel_far_floor(const struct codel_far_window *w)
{
	return CODEL_FAR_PACKETS_MIN * w->packet;
}

/* The time of @bytes at the delivered rate, ns */
static inline u64 codel_far_time(const struct codel_far_window *w, u64 bytes)
{
	bytes = codel_far_min(bytes, CODEL_FAR_WINDOW_MAX);
	return div64_u64(w->rtt * bytes, w->bytes ? w->bytes : 1);
}

/* The time of a full packet at the delivered rate, ns; CODEL_FAR_RTT_MAX at most */
static inline u64 codel_far_packet_time(const struct codel_far_window *w)
{
	return codel_far_time(w, codel_far_min(w->packet, w->bytes));
}

/**
 * codel_far_rate() - the rate at which the far queue was emptied in the round trip of the latest
 * answer
 * @w: the window
 *
 * Return: bytes/s, 0 before the first answer.
 */
static inline u64 codel_far_rate(const struct codel_far_window *w)
{
	return w->rtt ? div64_u64(w->bytes * 1000 * CODEL_FAR_MSEC, w->rtt) : 0;
}

/* The round trip without the far queue, ns */
static inline u64 codel_far_unqueued(const struct codel_far_window *w)
{
	return w->path + w->beside;
}

static inline u64 codel_far_target(const struct codel_far_window *w)
{
	return CODEL_FAR_TARGET + 5 * codel_far_packet_time(w) / 4;
}

/* In a dip the window lets the far queue drain. */
static inline bool codel_far_dips(const struct codel_far_window *w, u64 now)
{
	return codel_far_since(now, w->dip) < codel_far_unqueued(w) + CODEL_FAR_TARGET;
}

/*
 * Three quarters of the share that the path has; half of what it was if a dip has just shown that
 * the path had a queue in it
 */
static inline u64 codel_far_allowed(const struct codel_far_window *w, u64 now)
{
	u64 dip, unqueued = codel_far_unqueued(w);

	if (!codel_far_dips(w, now))
		return w->window;
	if (w->deep)
		return codel_far_clamp(w->bytes / 2, codel_far_floor(w), w->window);
	dip = div64_u64(w->window * unqueued, unqueued + codel_far_target(w));
	return codel_far_max(dip - dip / 4, codel_far_floor(w));
}

/*
 * Spread the window over the round trip with the target that it is for. A quarter faster: the link
 * may have become faster, and then the window has to grow.
 */
static inline void codel_far_set_pace(struct codel_far_window *w)
{
	u64 time = codel_far_unqueued(w) + codel_far_target(w);

	WRITE_ONCE(w->pace, div64_u64((time << 8) - (time << 8) / 5, w->window));
}

/**
 * codel_far_sent() - a packet leaves
 * @w: the window
 * @now: monotonic time, ns
 * @bytes: of the packet, CODEL_FAR_PACKET_MAX at most
 */
static inline void codel_far_sent(struct codel_far_window *w, u64 now, u32 bytes)
{
	WRITE_ONCE(w->sent, w->sent + bytes);
	w->next = codel_far_max(w->next, codel_far_since(now, CODEL_FAR_BURST)) +
		  (bytes * READ_ONCE(w->pace) >> 8);
}

/**
 * codel_far_wants_mark() - should the packet that has just left be marked?
 * @w: the window
 *
 * Return: true if so.
 */
static inline bool codel_far_wants_mark(const struct codel_far_window *w)
{
	return w->sent - w->asked >= codel_far_beyond(w) >> CODEL_FAR_MARKS_SHIFT;
}

/**
 * codel_far_ask() - mark the packet that has just left
 * @w: the window
 * @mark: written
 * @now: monotonic time, ns
 */
static inline void codel_far_ask(struct codel_far_window *w, struct codel_far_mark *mark, u64 now)
{
	if (!codel_far_expects(w))
		w->news = now;
	w->asked = w->sent;
	mark->at = now;
	mark->sent = w->sent;
	mark->beyond = codel_far_min(codel_far_beyond(w), CODEL_FAR_WINDOW_MAX);
	mark->window = codel_far_allowed(w, now);
}

/*
 * The time without an answer after which a packet is released: what an answer takes, and some
 * packets
 */
static inline u64 codel_far_patience(const struct codel_far_window *w)
{
	u64 time = codel_far_unqueued(w) + 2 * codel_far_target(w) + 4 * codel_far_packet_time(w);

	return codel_far_clamp(time, CODEL_FAR_PATIENCE_MIN, CODEL_FAR_PATIENCE_MAX);
}

/* Does the window hold packets back at all? */
static inline bool codel_far_is_blind(const struct codel_far_window *w, u64 now)
{
	return !w->window || !codel_far_expects(w) ||
	       codel_far_since(now, w->news) >= CODEL_FAR_BLIND;
}

/* When is a packet released if no answer comes? ns */
static inline u64 codel_far_release(const struct codel_far_window *w)
{
	return codel_far_max(w->news, w->released) + codel_far_patience(w);
}

/* Has the window room for a packet? */
static inline bool codel_far_has_room(const struct codel_far_window *w, u64 now)
{
	return codel_far_beyond(w) + w->packet <= codel_far_allowed(w, now);
}

/* When may a packet leave if no answer comes? ns */
static inline u64 codel_far_ask_again(const struct codel_far_window *w, u64 now)
{
	u64 release = codel_far_release(w);

	if (!codel_far_has_room(w, now))
		return release;
	return codel_far_min(w->next + CODEL_FAR_BURST, release);
}

/* Until when is the window open? The next answer knows when a dip begins or ends. */
static inline void codel_far_set_open(struct codel_far_window *w, u64 now)
{
	u64 open = w->window ? w->done + codel_far_allowed(w, now) - w->packet : ~0ULL;

	WRITE_ONCE(w->open, open);
}

/**
 * codel_far_is_open() - may a packet leave without codel_far_may_send()?
 * @w: the window
 * @now: monotonic time, ns
 *
 * Return: true if so.
 */
static inline bool codel_far_is_open(const struct codel_far_window *w, u64 now)
{
	return now >= w->next && w->sent <= READ_ONCE(w->open);
}

/**
 * codel_far_may_send() - may a packet leave?
 * @w: the window
 * @now: monotonic time, ns
 *
 * If not, ask again at codel_far_ask_again(), and after an answer if it has made room.
 *
 * Return: true if so.
 */
static inline bool codel_far_may_send(struct codel_far_window *w, u64 now)
{
	if ((codel_far_has_room(w, now) && now >= w->next) || codel_far_is_blind(w, now))
		return true;
	w->limited = now;
	if (now < codel_far_release(w))
		return false;
	w->released = now;
	return true;
}

/**
 * codel_far_may_send_sparse() - may a packet of a sparse flow leave, where codel_far_may_send()
 * says no?
 * @w: the window
 *
 * Sparse flows together get as much again as the window: otherwise a flood of them would be no
 * flood for it.
 *
 * Return: true if so.
 */
static inline bool codel_far_may_send_sparse(const struct codel_far_window *w)
{
	return codel_far_beyond(w) <= 2 * w->window + CODEL_FAR_PACKETS_SPARSE * w->packet;
}

#endif /* CODEL_FAR_WINDOW_H */
