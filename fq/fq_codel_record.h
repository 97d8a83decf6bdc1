/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Flow records: the counters of each flow. They are apart from the flows, which take one
 * cache line each and are many more than a reader can look at. A qdisc has records since a
 * reader asked for its classes: the records take more memory than all else.
 *
 * Up to FQ_CODEL_RECORDS flows have a record each. With more, flows whose indices end in
 * the same bits compete for one record. The record changes its owner only while the owner
 * is idle, and after the other flows have sent 255 packets. So a flow that fills the
 * queue has a record.
 */
#ifndef FQ_CODEL_RECORD_H
#define FQ_CODEL_RECORD_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#include "../uapi/codel_uapi.h"
#include "fq_codel_lists.h"

#define FQ_CODEL_RECORDS	1024

/* The second packet of a flow gives its tuple, and then one packet of this many. */
#define FQ_CODEL_SAMPLE_EVERY	255

/**
 * struct fq_codel_record - counters of a flow, in two cache lines
 * @stats: since the owner has the record
 * @owner: index of the flow
 * @until_sample: packets of the owner until its tuple is read
 * @eviction: packets that other flows have to send before one of them gets the record
 */
struct fq_codel_record {
	struct codel_flow_stats stats;
	u32 owner;
	u8 until_sample;
	u8 eviction;
};

static_assert(sizeof(struct fq_codel_record) <= 128);

/**
 * struct fq_codel_records - all records
 * @array: @mask + 1 of them; NULL until a reader asks for classes
 * @mask: bits of a flow's index that select its record
 */
struct fq_codel_records {
	struct fq_codel_record *array;
	u32 mask;
};

/* The record of a flow, or the record that the flow competes for */
static inline struct fq_codel_record *
fq_codel_record_slot(const struct fq_codel_records *records, u32 flow)
{
	return &records->array[flow & records->mask];
}

/* The record of a flow, NULL if it has none */
static inline struct fq_codel_record *
fq_codel_record(const struct fq_codel_records *records, u32 flow)
{
	struct fq_codel_record *record = fq_codel_record_slot(records, flow);

	return records->array && record->owner == flow ? record : NULL;
}

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

/* Start from 0: the flow has a new hash, or all counters are cleared. */
static inline void fq_codel_record_clear(struct fq_codel_record *record)
{
	memset(&record->stats, 0, sizeof(record->stats));
	record->until_sample = 2;
	record->eviction = 0;
}

/**
 * fq_codel_record_compete() - a flow without a record has sent a packet
 * @record: the record that the flow competes for
 * @flow: index of the flow
 * @busy: the owner is active
 */
static inline void fq_codel_record_compete(struct fq_codel_record *record, u32 flow,
					   bool busy)
{
	if (busy || (record->eviction && record->eviction--))
		return;
	fq_codel_record_clear(record);
	record->owner = flow;
}

/* Start all counters from 0; the owners of the records stay. */
static inline void fq_codel_records_clear(struct fq_codel_records *records)
{
	u32 i;

	for (i = 0; records->array && i <= records->mask; i++)
		fq_codel_record_clear(&records->array[i]);
}

/* Allocate records for @mask + 1 flows, which own them. Return: NULL if out of memory. */
static inline struct fq_codel_record *fq_codel_records_new(u32 mask)
{
	struct fq_codel_record *array = kvmalloc_array(mask + 1, sizeof(*array), GFP_KERNEL);
	u32 i;

	for (i = 0; array && i <= mask; i++) {
		fq_codel_record_clear(&array[i]);
		array[i].owner = i;
	}
	return array;
}

#endif /* FQ_CODEL_RECORD_H */
