/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The statistics of the far queue, for a dump.
 */
#ifndef CODEL_FAR_STATS_H
#define CODEL_FAR_STATS_H

#include <linux/slab.h>

#include "codel_far_device.h"

/**
 * struct codel_far_dump - statistics with their histogram
 * @stats: comes first
 * @delay: the buckets that are not 0, first to last
 */
struct codel_far_dump {
	struct codel_far_stats stats;
	u32 delay[CODEL_FAR_DELAYS];
};

static inline enum codel_far_state codel_far_get_state(const struct codel_far *far, u64 age)
{
	const struct codel_far_window *w = &far->window;

	if (!far->listens)
		return CODEL_FAR_DEAF;
	if (!far->heard)
		return CODEL_FAR_UNHEARD;
	if (!far->samples)
		return CODEL_FAR_UNANSWERED;
	if (age >= CODEL_FAR_BLIND)
		return CODEL_FAR_SILENT;
	if (w->unclear && !w->window)
		return CODEL_FAR_UNCLEAR;
	return far->latest < w->alone_until ? CODEL_FAR_FOREIGN : CODEL_FAR_WORKS;
}

static inline void codel_far_read_down(struct codel_far_stats *st, const struct codel_far *far)
{
	const struct codel_far_window *w = &far->window;

	st->rtt = w->rtt;
	st->path = w->path;
	st->delay = w->delay;
	st->rate = codel_far_rate(w);
	st->window = w->window;
	st->beyond = codel_far_beyond(w);
}

static inline void codel_far_read_up(struct codel_far_stats *st, const struct codel_far *far)
{
	st->rtt = far->up.rtt;
	st->path = far->up.path;
	st->delay = far->up.delay;
	st->rate = far->up.delivered.rate;
}

static inline void codel_far_read_delays(struct codel_far_dump *dump, const struct codel_far *far)
{
	u32 first = 0, end = CODEL_FAR_DELAYS;

	while (end && !far->delay[end - 1])
		end--;
	while (first < end && !far->delay[first])
		first++;
	dump->stats.delay_first = CODEL_FAR_DELAY_FIRST + first;
	dump->stats.delay_count = end - first;
	memcpy(dump->delay, far->delay + first, (end - first) * sizeof(*far->delay));
}

static inline void codel_far_read(struct codel_far_dump *dump, struct codel_far *far)
{
	struct codel_far_stats *st = &dump->stats;

	spin_lock_bh(&far->lock);
	if (far->bottleneck == CODEL_BOTTLENECK_DOWNSTREAM)
		codel_far_read_down(st, far);
	else
		codel_far_read_up(st, far);
	st->answers = far->samples;
	st->released = far->releases;
	st->news_age = far->samples ? codel_far_since(ktime_get_ns(), far->latest) : U64_MAX;
	st->state = codel_far_get_state(far, st->news_age);
	codel_far_read_delays(dump, far);
	spin_unlock_bh(&far->lock);
}

static inline u32 codel_far_dump_size(const struct codel_far_dump *dump)
{
	return sizeof(dump->stats) + dump->stats.delay_count * sizeof(*dump->delay);
}

/* Append them to @st, of @size bytes; it may move. Return their length; 0 without memory. */
static inline int codel_far_append(struct codel_far *far, void **st, int head, int size)
{
	struct codel_far_dump *dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	struct codel_ext_stats *ext;
	int more = 0;
	void *all;

	if (!dump)
		return 0;
	codel_far_read(dump, far);
	all = krealloc(*st, size + codel_far_dump_size(dump), GFP_KERNEL);
	if (all) {
		more = codel_far_dump_size(dump);
		memcpy(all + size, dump, more);
		ext = all + head - sizeof(*ext);
		ext->far_offset = size - head + sizeof(*ext);
		*st = all;
	}
	kfree(dump);
	return more;
}

/**
 * codel_far_dump_stats() - statistics of a qdisc into a dump, with those of its far queue
 * @sch: the qdisc, under RTNL
 * @d: the dump
 * @st: of codel_stats_alloc(); is freed
 * @head: length of all that is before the histogram, bytes
 * @size: length with the histogram, bytes
 * @kernels: as for codel_stats_put()
 *
 * Return: 0, or an error if there is no room or no memory.
 */
static inline int codel_far_dump_stats(struct Qdisc *sch, struct gnet_dump *d, void *st,
				       int head, int size, int kernels)
{
	struct codel_far *far = codel_qdisc(sch)->far;
	int more = 0, err = 0;

	if (far) {
		more = codel_far_append(far, &st, head, size);
		err = more ? 0 : -ENOMEM;
	}
	if (!err)
		err = codel_stats_put(d, st, size + more, kernels);
	kfree(st);
	return err;
}

#endif /* CODEL_FAR_STATS_H */
