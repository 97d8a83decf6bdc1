/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Who uses an FQ-CoDel: what is counted for each flow, apart from the flows, which take
 * one cache line each and are many more than anybody can look at.
 *
 * Up to FQ_CODEL_USERS flows have a record each. With more, flows whose numbers end in
 * the same bits want the same one. It belongs to one of them, and goes to another only
 * after its owner was idle while the others sent 255 packets. So whoever fills the queue
 * has a record.
 */
#ifndef FQ_CODEL_USERS_H
#define FQ_CODEL_USERS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#include "codel_uapi.h"
#include "fq_codel_flow.h"

#define FQ_CODEL_USERS		1024

/* The second packet of a flow says whose it is, and then one of so many */
#define FQ_CODEL_SAMPLE_EVERY	255

/* In bytes that a dump shows as 0: */
#define fq_codel_until_sample	stats.reserved[0]
#define fq_codel_stays		stats.reserved[1]

/**
 * struct fq_codel_user - a record; twice as large as a flow, see fq_codel_user_slot()
 * @stats: of the flow whose it is; also packets to the next one that is looked at
 *	(@fq_codel_until_sample), and packets that others have to send before one of
 *	them gets the record (@fq_codel_stays)
 * @owner: the flow
 */
struct fq_codel_user {
	struct codel_flow_stats stats;
	const struct fq_codel_flow *owner;
} __aligned(8);

static_assert(sizeof(struct fq_codel_user) == 2 * sizeof(struct fq_codel_flow));

/**
 * struct fq_codel_users - the records
 * @records: as many as @mask + sizeof(struct fq_codel_flow) is long
 * @mask: of the distance of a flow from the first, in bytes, what says its record
 */
struct fq_codel_users {
	struct fq_codel_user *records;
	unsigned long mask;
};

static inline u32 fq_codel_users_count(const struct fq_codel_users *users)
{
	return users->mask / sizeof(struct fq_codel_flow) + 1;
}

/* The record that a flow has, or would have; distances are bytes, for nothing is divided */
static __always_inline struct fq_codel_user *
fq_codel_user_slot(const struct fq_codel_users *users,
		   const struct fq_codel_flow *flows, const struct fq_codel_flow *flow)
{
	unsigned long distance = (const char *)flow - (const char *)flows;

	return (void *)((char *)users->records + 2 * (distance & users->mask));
}

/**
 * fq_codel_user_sent() - a packet has left a flow's queue to be sent
 * @user: the flow's record
 * @len: bytes
 * @packed: its sojourn time, see codel_qdisc_pack_time()
 *
 * Return: true if it is one to look at, for the tuple.
 */
static __always_inline bool fq_codel_user_sent(struct fq_codel_user *user, u32 len,
					       u32 packed)
{
	struct codel_flow_stats *stats = &user->stats;

	/* not in brackets, for which UBSAN would check the index */
	++*(stats->delay + __fls(packed | BIT(CODEL_FLOW_DELAY_SHIFT)) -
	    CODEL_FLOW_DELAY_SHIFT);
	stats->bytes += len;
	stats->packets++;
	return !--user->fq_codel_until_sample;
}

/* A flow starts from 0, as another one or after a clearing. */
static inline void fq_codel_user_clear(struct fq_codel_user *user)
{
	memset(&user->stats, 0, sizeof(user->stats));
	user->fq_codel_until_sample = 2;
}

/**
 * fq_codel_user_contest() - a flow without a record has sent a packet
 * @user: the record that it would have
 * @flow: the flow
 * @busy: the owner is active
 */
static noinline void fq_codel_user_contest(struct fq_codel_user *user,
					   const struct fq_codel_flow *flow, bool busy)
{
	if (busy || (user->fq_codel_stays && user->fq_codel_stays--))
		return;
	fq_codel_user_clear(user);
	user->owner = flow;
}

/* Make the records for some flows. Return: false if there is no memory. */
static inline bool fq_codel_users_make(struct fq_codel_users *users,
				       const struct fq_codel_flow *flows, u32 count)
{
	u32 i, records = roundup_pow_of_two(min_t(u32, count, FQ_CODEL_USERS));

	users->records = kvmalloc_array(records, sizeof(*users->records), GFP_KERNEL);
	if (!users->records)
		return false;
	users->mask = (records - 1) * sizeof(struct fq_codel_flow);
	for (i = 0; i < records; i++) {
		fq_codel_user_clear(&users->records[i]);
		users->records[i].owner = &flows[min(i, count - 1)];
	}
	return true;
}

/* All counts from 0 again; who has the records stays. */
static inline void fq_codel_users_clear(struct fq_codel_users *users)
{
	u32 i;

	for (i = 0; i < fq_codel_users_count(users); i++)
		fq_codel_user_clear(&users->records[i]);
}

#endif /* FQ_CODEL_USERS_H */
