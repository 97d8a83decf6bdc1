/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Links: qdiscs of a device that share a rate. A module has one link for each device, so that a device
 * has two at most, of CS_CODEL and of CS_FQ_CODEL.
 */
#ifndef CODELSTAT_LINK_H
#define CODELSTAT_LINK_H

#include "row.h"

#define CS_LINK_FIRST	CS_CODEL
#define CS_LINK_LAST	CS_FQ_CODEL

/* Read the part of @q in a link, which its extended statistics at @ext, of @len bytes, describe. As in tc, an
 * incomplete part is none.
 */
void cs_link_read(struct cs_qdisc *q, const void *ext, size_t len);

static inline bool cs_link_has(const struct cs_qdisc *q, enum cs_kind kind)
{
	return q->type == kind && q->link.queues;
}

/**
 * cs_link() - find a link of a device
 * @now: a snapshot
 * @first: number of the first qdisc of the device
 * @kind: of its qdiscs
 * @queues: how many share the rate
 *
 * Return: the first of them; NULL if there is none, or if the snapshot has only some of them, as with
 * --handle: their sum is not that of the link
 */
const struct cs_qdisc *cs_link(const struct cs_snapshot *now, size_t first, enum cs_kind kind,
			       size_t *queues);

/* The sum of a link that cs_link() has found, with settings that a verdict needs; @before may be NULL */
void cs_link_fill(struct cs_total *link, const struct cs_snapshot *before,
		  const struct cs_snapshot *now, size_t first, enum cs_kind kind);

/* The part of the rate that was used in the interval; negative if not known */
double cs_link_used(const struct cs_total *link);

#endif /* CODELSTAT_LINK_H */
