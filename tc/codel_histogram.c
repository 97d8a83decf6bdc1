// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include "codel_histogram.h"
#include "codel_json.h"

static const struct {
	const char *name;
	const char *key;
	unsigned int permille;
} codel_percentiles[] = {
	{ "p50", "p50_ns", 500 },
	{ "p90", "p90_ns", 900 },
	{ "p99", "p99_ns", 990 },
	{ "p99.9", "p99_9_ns", 999 },
	{ }
};

static __u64 codel_bucket_end(const struct codel_histogram *h, unsigned int i)
{
	return i + 1 < h->buckets ? h->bound(i + 1) : CODEL_NO_END;
}

static __u64 codel_histogram_packets(const struct codel_histogram *h)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = h->first; i < h->end; i++)
		sum += h->packets[i];
	return sum;
}

__u64 codel_percentile(const struct codel_histogram *h, unsigned int permille)
{
	const __u64 packets = codel_histogram_packets(h);
	__u64 below = packets / 1000 * permille +
		      (packets % 1000 * permille + 999) / 1000;
	unsigned int i = h->first;
	__u64 end;

	if (!packets)
		return CODEL_NO_END;
	for (; i + 1 < h->end && h->packets[i] < below; i++)
		below -= h->packets[i];
	end = codel_bucket_end(h, i);
	return end < h->max ? end : h->max;
}

/* Three digits suffice: a bucket is wider than the rounding error. */
static void codel_print_time(FILE *f, __u64 ns)
{
	static const struct {
		const char *unit;
		double ns;
	} scales[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	double value = (double)ns;
	int i = 0;

	while (i < 3 && value < scales[i].ns)
		i++;
	value /= scales[i].ns;
	fprintf(f, value < 999.5 ? "%.3g%s" : "%.0f%s", value, scales[i].unit);
}

void codel_print_percentiles(FILE *f, const struct codel_histogram *h)
{
	unsigned int i;
	__u64 value;

	if (!codel_histogram_packets(h))
		return;
	print_nl();
	fprintf(f, "  delay");
	for (i = 0; codel_percentiles[i].name; i++) {
		value = codel_percentile(h, codel_percentiles[i].permille);
		fprintf(f, " %s %s", codel_percentiles[i].name,
			value == CODEL_NO_END ? ">" : "");
		codel_print_time(f, value == CODEL_NO_END ?
					    h->bound(h->buckets - 1) : value);
	}
	if (h->max != CODEL_NO_END) {
		fprintf(f, " max ");
		codel_print_time(f, h->max);
	}
}

static void codel_json_end(const char *key, __u64 ns)
{
	if (ns == CODEL_NO_END)
		codel_json_null(key);
	else
		codel_json_u64(key, ns);
}

void codel_json_histogram(const struct codel_histogram *h)
{
	unsigned int i;

	for (i = 0; codel_percentiles[i].name; i++)
		codel_json_end(codel_percentiles[i].key,
			       codel_percentile(h, codel_percentiles[i].permille));
	open_json_array(PRINT_JSON, "buckets");
	for (i = h->first; i < h->end; i++) {
		open_json_object(NULL);
		codel_json_u64("from_ns", h->bound(i));
		codel_json_end("to_ns", codel_bucket_end(h, i));
		codel_json_u64("count", h->packets[i]);
		close_json_object();
	}
	close_json_array(PRINT_JSON, NULL);
}
