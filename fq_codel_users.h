/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Who uses an FQ-CoDel: what is counted for each flow, apart from the flows, which take
 * one cache line each and are many more than anybody can look at.
 *
 * Up to FQ_CODEL_USERS flows have a record each. With more, flows whose numbers end in
 * the same bits want the same one. It belongs to one of them, and goes to another only
 * after its owner was idle while the others sent FQ_CODEL_SAMPLE_EVERY packets. So
 * whoever fills the queue has a record.
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

#define FQ_CODEL_USERS		1024

/* The second packet of a flow says whose it is, and then one of so many */
#define FQ_CODEL_SAMPLE_EVERY	64

/**
 * struct fq_codel_user - a record
 * @stats: of the flow whose it is
 * @owner: its number
 * @until_sample: packets to the next one that is looked at
 * @stays: packets that others have to send before one of them gets the record
 */
struct fq_codel_user {
	struct codel_flow_stats stats;
	u16 owner;
	u8 until_sample;
	u8 stays;
};

/**
 * struct fq_codel_users - the records
 * @records: @mask + 1 of them
 * @mask: of a flow's number, the bits that say its record
 */
struct fq_codel_users {
	struct fq_codel_user *records;
	u32 mask;
};

static __always_inline struct fq_codel_user *
fq_codel_user_slot(struct fq_codel_users *users, u32 i)
{
	return &users->records[i & users->mask];
}

/* The record of a flow, NULL if it has none */
static inline struct fq_codel_user *fq_codel_user(struct fq_codel_users *users, u32 i)
{
	struct fq_codel_user *user = fq_codel_user_slot(users, i);

	return user->owner == i ? user : NULL;
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
	return !--user->until_sample;
}

/* A flow starts from 0, as another one or after a clearing. */
static inline void fq_codel_user_clear(struct fq_codel_user *user)
{
	memset(&user->stats, 0, sizeof(user->stats));
	user->until_sample = 2;
}

/* A flow has become that of another hash. */
static inline void fq_codel_user_renamed(struct fq_codel_users *users, u32 i)
{
	struct fq_codel_user *user = fq_codel_user(users, i);

	if (user)
		fq_codel_user_clear(user);
}

/**
 * fq_codel_user_contest() - a flow without a record has sent a packet
 * @user: the record that it would have
 * @i: the flow
 * @busy: the owner is active
 */
static noinline void fq_codel_user_contest(struct fq_codel_user *user, u32 i,
					   bool busy)
{
	if (busy || (user->stays && user->stays--))
		return;
	fq_codel_user_clear(user);
	user->owner = i;
}

/* Make the records for some flows. Return: false if there is no memory. */
static inline bool fq_codel_users_make(struct fq_codel_users *users, u32 flows)
{
	u32 i, count = roundup_pow_of_two(min_t(u32, flows, FQ_CODEL_USERS));

	users->records = kvmalloc_array(count, sizeof(*users->records), GFP_KERNEL);
	if (!users->records)
		return false;
	users->mask = count - 1;
	for (i = 0; i < count; i++) {
		fq_codel_user_clear(&users->records[i]);
		users->records[i].owner = i;
		users->records[i].stays = 0;
	}
	return true;
}

/* All counts from 0 again; who has the records stays. */
static inline void fq_codel_users_clear(struct fq_codel_users *users)
{
	u32 i;

	for (i = 0; i <= users->mask; i++)
		fq_codel_user_clear(&users->records[i]);
}

#endif /* FQ_CODEL_USERS_H */
