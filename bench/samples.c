// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * How long single calls took: sorted, and put into a few numbers.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "bench.h"

#define BENCH_CLOCK_TRIES	100

int bench_samples_init(struct bench_samples *samples, u32 size)
{
	samples->ns = kvcalloc(size, sizeof(*samples->ns), GFP_KERNEL);
	samples->size = samples->ns ? size : 0;
	return samples->ns ? 0 : -ENOMEM;
}

static int bench_samples_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/**
 * bench_samples_print() - sort, and describe
 * @name: begins the keys
 * @samples: are sorted
 * @line: is written to
 * @size: of @line
 *
 * Return: characters written.
 */
int bench_samples_print(const char *name, struct bench_samples *samples,
			char *line, size_t size)
{
	u32 n = samples->count, i;
	u64 sum = 0;

	if (!n)
		return 0;
	sort(samples->ns, n, sizeof(*samples->ns), bench_samples_cmp, NULL);
	for (i = 0; i < n; i++)
		sum += samples->ns[i];
	return scnprintf(line, size,
			 " %s_calls=%u %s_ns=%llu %s_median=%u %s_p99=%u %s_max=%u",
			 name, n, name, sum, name, samples->ns[n / 2],
			 name, samples->ns[n - 1 - n / 100],
			 name, samples->ns[n - 1]);
}

/* What it takes to read the clock, as seen by reading it twice. */
u32 bench_samples_clock(void)
{
	u64 best = U32_MAX;
	int i;

	for (i = 0; i < BENCH_CLOCK_TRIES; i++) {
		u64 since = ktime_get_ns();

		best = min(best, ktime_get_ns() - since);
	}
	return best;
}
