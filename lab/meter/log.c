// SPDX-License-Identifier: GPL-2.0
/*
 * The records, one after another until there is no room.
 */
#include <linux/vmalloc.h>

#include "meter.h"

#define METER_WAITED_UNIT	4	/* as a power of two, ns */

struct meter_record {
	__le32 gap;
	__le32 waited;
	__le32 what;
	__le32 length;
};

static struct meter_record *meter_log;
static unsigned int meter_log_size, meter_log_used;
static u64 meter_lost;

/* The last record's; before the first, the origin */
static u64 meter_log_time = U64_MAX;

static void meter_log_write(u32 gap, u32 waited, u32 what, u32 length)
{
	struct meter_record *record = &meter_log[meter_log_used];

	if (meter_log_used == meter_log_size) {
		meter_lost++;
		return;
	}
	record->gap = cpu_to_le32(gap);
	record->waited = cpu_to_le32(waited);
	record->what = cpu_to_le32(what);
	record->length = cpu_to_le32(length);
	meter_log_time += gap;
	/* Who reads the file does not hold the lock */
	smp_store_release(&meter_log_used, meter_log_used + 1);
}

/**
 * meter_log_add() - write down what became of a packet
 * @now: when; not before the last one, and if before the origin, nothing is written. ns
 * @waited: for how long, ns
 * @flow: its number
 * @queue: of which device
 * @fate: what it was
 * @length: bytes
 */
void meter_log_add(u64 now, u64 waited, u32 flow, u32 queue, enum meter_fate fate, u32 length)
{
	if (now < meter_log_time)
		return;
	while (now - meter_log_time >= U32_MAX && meter_log_used < meter_log_size)
		meter_log_write(U32_MAX, 0, METER_FILL << 28, 0);
	meter_log_write(now - meter_log_time, min_t(u64, waited >> METER_WAITED_UNIT, U32_MAX),
			flow | queue << 24 | fate << 28, length);
}

/**
 * meter_log_begin() - write records from a time on
 * @origin: CLOCK_MONOTONIC, ns; it may be in the past
 *
 * Return: 0; -EBUSY if there are records already.
 */
int meter_log_begin(u64 origin)
{
	int err = 0;

	spin_lock_irq(&meter.lock);
	if (meter_log_used || meter_lost)
		err = -EBUSY;
	else
		meter_log_time = origin;
	spin_unlock_irq(&meter.lock);
	return err;
}

unsigned int meter_log_count(void)
{
	/* Pairs with that in meter_log_write() */
	return smp_load_acquire(&meter_log_used);
}

u64 meter_log_overrun(void)
{
	return READ_ONCE(meter_lost);
}

static ssize_t meter_log_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(to, count, pos, meter_log,
				       (size_t)meter_log_count() * sizeof(*meter_log));
}

const struct file_operations meter_log_file = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = meter_log_read,
	.llseek = default_llseek,
};

int meter_log_init(unsigned int records)
{
	if (!records)
		return -EINVAL;
	meter_log = vmalloc(array_size(records, sizeof(*meter_log)));
	meter_log_size = records;
	return meter_log ? 0 : -ENOMEM;
}

void meter_log_exit(void)
{
	vfree(meter_log);
}
