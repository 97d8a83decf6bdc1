// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The memory of snapshots, and finding things in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "snapshot.h"

/* Twice as much as before, so that growing costs little */
static void *cs_grow(void *array, size_t *room, size_t size, size_t max)
{
	size_t more = *room ? 2 * *room : 16;
	void *bigger;

	if (*room == max) {
		errno = EFBIG;
		return NULL;
	}
	if (more > max)
		more = max;
	bigger = reallocarray(array, more, size);
	if (bigger)
		*room = more;
	return bigger;
}

struct cs_qdisc *cs_snapshot_add_qdisc(struct cs_snapshot *snapshot)
{
	struct cs_qdisc *more = snapshot->qdiscs;

	if (snapshot->n_qdiscs == snapshot->room_qdiscs)
		more = cs_grow(more, &snapshot->room_qdiscs, sizeof(*more), CS_QDISCS_MAX);
	if (!more)
		return NULL;
	snapshot->qdiscs = more;
	more += snapshot->n_qdiscs++;
	return memset(more, 0, sizeof(*more));
}

struct cs_flow *cs_snapshot_add_flow(struct cs_snapshot *snapshot)
{
	struct cs_flow *more = snapshot->flows;

	if (snapshot->n_flows == snapshot->room_flows)
		more = cs_grow(more, &snapshot->room_flows, sizeof(*more), CS_FLOWS_MAX);
	if (!more)
		return NULL;
	snapshot->flows = more;
	more += snapshot->n_flows++;
	return memset(more, 0, sizeof(*more));
}

/* Memory that is not written to costs nothing: most messages are no histogram. */
int cs_snapshot_begin(struct cs_snapshot *snapshot, size_t bytes)
{
	const size_t room = bytes / sizeof(*snapshot->delays) + 1;

	snapshot->n_qdiscs = 0;
	snapshot->n_flows = 0;
	snapshot->n_delays = 0;
	if (room <= snapshot->room_delays)
		return 0;
	free(snapshot->delays);
	snapshot->delays = reallocarray(NULL, room, sizeof(*snapshot->delays));
	snapshot->room_delays = snapshot->delays ? room : 0;
	return snapshot->delays ? 0 : -1;
}

const uint64_t *cs_snapshot_add_delay(struct cs_snapshot *snapshot, const void *buckets,
				      size_t count)
{
	uint64_t *delay = snapshot->delays + snapshot->n_delays;

	memcpy(delay, buckets, count * sizeof(*delay));
	snapshot->n_delays += count;
	return delay;
}

void cs_snapshot_clear(struct cs_snapshot *snapshot)
{
	free(snapshot->qdiscs);
	free(snapshot->flows);
	free(snapshot->delays);
	memset(snapshot, 0, sizeof(*snapshot));
}

#define CS_ORDER(a, b) ((a) < (b) ? -1 : 1)

static int cs_compare_qdiscs(const void *a, const void *b)
{
	const struct cs_qdisc *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return CS_ORDER(x->ifindex, y->ifindex);
	if (x->handle != y->handle)
		return CS_ORDER(x->handle, y->handle);
	if (x->parent != y->parent)
		return CS_ORDER(x->parent, y->parent);
	return 0;
}

static int cs_compare_flows(const void *a, const void *b)
{
	const struct cs_flow *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return CS_ORDER(x->ifindex, y->ifindex);
	if (x->classid != y->classid)
		return CS_ORDER(x->classid, y->classid);
	return 0;
}

/* The kernel mostly lists them in this order: looking costs less than moving. */
static void cs_sort(void *array, size_t n, size_t size,
		    int (*compare)(const void *, const void *))
{
	const char *at = array;
	size_t i;

	for (i = 1; i < n; i++, at += size)
		if (compare(at, at + size) > 0)
			break;
	if (i < n)
		qsort(array, n, size, compare);
}

void cs_snapshot_sort(struct cs_snapshot *snapshot)
{
	cs_sort(snapshot->qdiscs, snapshot->n_qdiscs, sizeof(*snapshot->qdiscs),
		cs_compare_qdiscs);
	cs_sort(snapshot->flows, snapshot->n_flows, sizeof(*snapshot->flows),
		cs_compare_flows);
}

static const struct cs_qdisc *cs_same_qdisc(const struct cs_snapshot *in,
					    const struct cs_qdisc *qdisc)
{
	if (!in->n_qdiscs)
		return NULL;
	return bsearch(qdisc, in->qdiscs, in->n_qdiscs, sizeof(*qdisc),
		       cs_compare_qdiscs);
}

static bool cs_fewer(const struct codel_count *now, const struct codel_count *before)
{
	return now->packets < before->packets || now->bytes < before->bytes;
}

/* A counter of 64 bits never goes back by itself. */
static bool cs_began_again(const struct cs_qdisc *before, const struct cs_qdisc *now)
{
	size_t i;

	if (now->bytes < before->bytes || now->packets < before->packets)
		return true;
	if (!now->oot)
		return false;
	if (cs_fewer(&now->ext_stats.received, &before->ext_stats.received) ||
	    cs_fewer(&now->ext_stats.sent, &before->ext_stats.sent) ||
	    now->ext_stats.delay_sum < before->ext_stats.delay_sum ||
	    now->ext_stats.delay_max < before->ext_stats.delay_max)
		return true;
	for (i = 0; i < CODEL_DROP_CAUSES; i++)
		if (cs_fewer(&now->ext_stats.drop[i], &before->ext_stats.drop[i]))
			return true;
	for (i = 0; i < before->ext_stats.delay_count; i++)
		if (cs_delay_in(now, before->ext_stats.delay_first + (unsigned int)i) <
		    before->delay[i])
			return true;
	return false;
}

const struct cs_qdisc *cs_snapshot_find(const struct cs_snapshot *in,
					const struct cs_qdisc *qdisc)
{
	const struct cs_qdisc *found = cs_same_qdisc(in, qdisc);

	if (!found || strcmp(found->kind, qdisc->kind) || found->oot != qdisc->oot)
		return NULL;
	return cs_began_again(found, qdisc) ? NULL : found;
}

static size_t cs_first_flow(const struct cs_snapshot *snapshot, const struct cs_flow *key)
{
	size_t low = 0, high = snapshot->n_flows, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (cs_compare_flows(&snapshot->flows[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool cs_is_default_of(const struct cs_qdisc *qdisc, int ifindex)
{
	return !qdisc->handle && qdisc->ifindex == ifindex;
}

/* Whether the device has several default qdiscs: one is then beside another in the order. */
static bool cs_is_ambiguous(const struct cs_snapshot *snapshot,
			    const struct cs_qdisc *qdisc)
{
	const struct cs_qdisc *end = snapshot->qdiscs + snapshot->n_qdiscs;
	const struct cs_qdisc *at = qdisc->handle ? NULL : cs_same_qdisc(snapshot, qdisc);

	if (!at)
		return false;
	return (at > snapshot->qdiscs && cs_is_default_of(at - 1, qdisc->ifindex)) ||
	       (at + 1 < end && cs_is_default_of(at + 1, qdisc->ifindex));
}

const struct cs_flow *cs_snapshot_flows(const struct cs_snapshot *snapshot,
					const struct cs_qdisc *qdisc, size_t *n)
{
	struct cs_flow key = { .ifindex = qdisc->ifindex, .classid = qdisc->handle };
	size_t first, end;

	*n = 0;
	if (cs_is_ambiguous(snapshot, qdisc))
		return NULL;
	first = cs_first_flow(snapshot, &key);
	key.classid += 1 << 16;	/* wraps for ffff:, which no codel or fq_codel has */
	end = cs_first_flow(snapshot, &key);
	if (end <= first)
		return NULL;
	*n = end - first;
	return &snapshot->flows[first];
}
