/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Flow records: the counters of each flow. They are apart from the flows, which take one
 * cache line each. A qdisc has records since a reader asked for its classes: the records take
 * more memory than all else.
 */
#ifndef FQ_CODEL_RECORD_H
#define FQ_CODEL_RECORD_H

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#include "../uapi/codel_uapi.h"

/* The second packet of a flow gives its tuple, and then one packet of this many. */
#define FQ_CODEL_SAMPLE_EVERY	255

/**
 * struct fq_codel_record - counters of a flow, in two cache lines
 * @stats: since the flow belongs to its hash
 * @until_sample: packets until the tuple is read
 */
struct fq_codel_record {
	struct codel_flow_stats stats;
	u8 until_sample;
};

static_assert(sizeof(struct fq_codel_record) <= 128);

/**
 * fq_codel_record_sent() - count a packet that has left its flow to be sent
 * @record: the flow's record
 * @len: bytes
 * @packed: its sojourn time, see codel_qdisc_pack_time()
 *
 * Return: true if the packet's tuple is due.
 */
static inline bool fq_codel_record_sent(struct fq_codel_record *record, u32 len,
					u32 packed)
{
	struct codel_flow_stats *stats = &record->stats;

	/* not in brackets, for which UBSAN would check the index */
	++*(stats->delay + __fls(packed | BIT(CODEL_FLOW_DELAY_SHIFT)) -
	    CODEL_FLOW_DELAY_SHIFT);
	stats->bytes += len;
	stats->packets++;
	return !--record->until_sample;
}

/* Start from 0: the flow has a new hash. */
static inline void fq_codel_record_clear(struct fq_codel_record *record)
{
	memset(record, 0, sizeof(*record));
	record->until_sample = 2;
}

static inline void fq_codel_records_clear(struct fq_codel_record *records, u32 count)
{
	u32 i;

	for (i = 0; records && i < count; i++)
		fq_codel_record_clear(&records[i]);
}

/* Allocate the records of @count flows. Return: NULL if out of memory. */
static inline struct fq_codel_record *fq_codel_records_new(u32 count)
{
	struct fq_codel_record *records = kvmalloc_array(count, sizeof(*records), GFP_KERNEL);

	fq_codel_records_clear(records, count);
	return records;
}

#endif /* FQ_CODEL_RECORD_H */
