/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The links that qdiscs of a device share: one for each device, of each kind of qdisc. A link has
 * one rate, the latest that one of its qdiscs was given: the others follow. A link with another
 * rate is a new one, to which the qdiscs move one after the other, each under its own root lock.
 *
 * All of this is under RTNL. A qdisc is on the list of its link from codel_shared_finish() to
 * codel_shared_destroy(), which may sleep.
 */
#ifndef CODEL_SHARED_LINK_H
#define CODEL_SHARED_LINK_H

#include <linux/slab.h>

#include "codel_config.h"
#include "codel_share.h"

static LIST_HEAD(codel_shared_links);

static inline struct codel_shared_link *codel_shared_find(const struct net_device *dev)
{
	struct codel_shared_link *link;

	list_for_each_entry(link, &codel_shared_links, list)
		if (link->dev == dev)
			return link;
	return NULL;
}

static inline struct codel_shared_link *codel_shared_new(const struct net_device *dev, u64 rate)
{
	struct codel_shared_link *link = kzalloc(sizeof(*link), GFP_KERNEL);

	if (!link)
		return NULL;
	INIT_LIST_HEAD(&link->list);
	INIT_LIST_HEAD(&link->members);
	link->dev = dev;
	link->rate = rate;
	return link;
}

static inline void codel_shared_put(struct codel_shared_link *link)
{
	if (!link || --link->users)
		return;
	list_del(&link->list);
	kfree(link);
}

/**
 * codel_shared_prepare() - allocate what a validated configuration needs
 * @sch: the qdisc
 * @config: to be put in force
 * @extack: says what is wrong
 *
 * codel_share_apply() and codel_shared_finish() follow, or codel_shared_abort().
 *
 * Return: 0, or an error.
 */
static inline int codel_shared_prepare(struct Qdisc *sch, const struct codel_config *config,
				       struct netlink_ext_ack *extack)
{
	struct codel_share *share = &codel_qdisc(sch)->share;
	struct codel_shared_link *link;

	share->next = NULL;
	if (!config->shape.shared || !config->shape.rate)
		return 0;
	link = codel_shared_find(qdisc_dev(sch));
	if (link && link->users >= CODEL_SHARED_QUEUES) {
		share->next = share->link;
		NL_SET_ERR_MSG(extack, "shared: the device has too many qdiscs");
		return -E2BIG;
	}
	if (!link || link->rate != config->shape.rate)
		link = codel_shared_new(qdisc_dev(sch), config->shape.rate);
	if (!link) {
		share->next = share->link;
		NL_SET_ERR_MSG(extack, "shared: out of memory");
		return -ENOMEM;
	}
	share->next = link;
	link->users += link != share->link;
	return 0;
}

static inline void codel_shared_abort(struct Qdisc *sch)
{
	struct codel_share *share = &codel_qdisc(sch)->share;

	if (share->next != share->link)
		codel_shared_put(share->next);
	share->next = share->link;
}

/* The qdisc is in the link that it has now, and its former one is left. */
static inline void codel_shared_moved(struct Qdisc *sch)
{
	struct codel_share *share = &codel_qdisc(sch)->share;

	if (share->next == share->link)
		return;
	if (share->next)
		list_del(&share->list);
	if (share->link)
		list_add_tail(&share->list, &share->link->members);
	codel_shared_put(share->next);
	share->next = share->link;
}

/* A qdisc of the former link follows to the new one, as if it had been given the rate. */
static inline void codel_shared_follow(struct Qdisc *sch, struct codel_shared_link *link,
				       void (*apply)(struct Qdisc *sch,
						     const struct codel_config *config))
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_config config = c->config;

	config.shape.rate = link->rate;
	if (!config.shape.split_set && config.bottleneck == CODEL_BOTTLENECK_HERE)
		config.shape.split = codel_config_should_split(link->rate);
	codel_shape_set_times(&config, qdisc_dev(sch));
	c->share.next = link;
	link->users++;
	apply(sch, &config);
	codel_shared_moved(sch);
}

/* What the former link is sending goes on at the new rate. */
static inline void codel_shared_carry(struct codel_shared_link *link,
				      const struct codel_shared_link *former)
{
	struct codel_clock clock = { .next = atomic64_read(&former->shared.next) };
	u64 now = ktime_get_ns();

	codel_clock_change(&clock, now, former->rate, link->rate);
	if (clock.next > now)
		codel_shared_take(&link->shared, now, clock.next - now);
}

/**
 * codel_shared_finish() - after codel_share_apply(), without the root lock
 * @sch: the qdisc
 * @apply: puts a configuration of a qdisc of this kind in force
 *
 * The other qdiscs of the device follow to a new rate.
 */
static inline void codel_shared_finish(struct Qdisc *sch,
				       void (*apply)(struct Qdisc *sch,
						     const struct codel_config *config))
{
	struct codel_shared_link *link = codel_qdisc(sch)->share.link;
	struct codel_shared_link *former = codel_shared_find(qdisc_dev(sch));
	struct codel_qdisc *c, *next;

	if (link && former && link != former) {
		former->users++;
		codel_shared_moved(sch);
		list_for_each_entry_safe(c, next, &former->members, share.list)
			codel_shared_follow(c->watchdog.qdisc, link, apply);
		codel_shared_carry(link, former);
		codel_shared_put(former);
	}
	codel_shared_moved(sch);
	if (link && list_empty(&link->list))
		list_add(&link->list, &codel_shared_links);
}

/* Also of a half-built qdisc */
static inline void codel_shared_destroy(struct Qdisc *sch)
{
	struct codel_share *share = &codel_qdisc(sch)->share;

	codel_shared_abort(sch);
	if (!share->link)
		return;
	codel_share_idle(sch);
	list_del(&share->list);
	codel_shared_put(share->link);
	share->link = NULL;
	share->next = NULL;
}

#endif /* CODEL_SHARED_LINK_H */
