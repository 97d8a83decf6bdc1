// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * fuzz ROUNDS RECORDING: messages of a recording with bytes changed, cut off and swapped
 * go through decoding and every way to print them, under sanitizers. Every round has a
 * number that makes it again. Also checks that something was decoded at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"
#include "record.h"
#include "qdisc_json.h"
#include "row.h"
#include "tc_json.h"

static uint64_t state;

/* xorshift64* */
static uint32_t any(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

static unsigned char *file_data;
static size_t file_size;

static void load(const char *path)
{
	FILE *file = fopen(path, "rb");

	file_data = malloc(1 << 20);
	if (!file || !file_data)
		exit(2);
	file_size = fread(file_data, 1, 1 << 20, file);
	fclose(file);
}

/* Snapshot number @n, in memory of exactly its size */
static struct cs_raw snapshot(unsigned int n)
{
	struct cs_record_head head;
	size_t at = sizeof(struct cs_record_header);
	struct cs_raw raw = {};

	for (;; at += sizeof(head) + head.len) {
		memcpy(&head, file_data + at, sizeof(head));
		if (!n-- || at + sizeof(head) + head.len >= file_size)
			break;
	}
	raw.monotonic = head.monotonic;
	raw.realtime = head.realtime;
	raw.len = raw.room = head.len;
	raw.data = malloc(raw.len);
	memcpy(raw.data, file_data + at + sizeof(head), raw.len);
	return raw;
}

/* Lengths and types matter more than other bytes: some of the changes are small words. */
static void damage(struct cs_raw *raw)
{
	uint32_t changes = any(8), at;
	uint16_t word;

	while (changes--) {
		at = any((uint32_t)raw->len - 1);
		word = (uint16_t)any(any(2) ? 80 : 65536);
		if (any(2))
			memcpy(raw->data + (at & ~1U), &word, sizeof(word));
		else
			raw->data[at] = (unsigned char)any(256);
	}
	if (!any(4)) {
		raw->len = any((uint32_t)raw->len) + 1;
		raw->data = realloc(raw->data, raw->len);
	}
}

static size_t decoded, refused;

static void classes(FILE *out, const struct cs_snapshot *now)
{
	size_t i;

	tc_json_begin(out);
	for (i = 0; i < now->n_flows; i++)
		qdisc_json_class(now, &now->flows[i]);
	tc_json_end();
}

static void round_of(struct cs_snapshot *before, struct cs_snapshot *now)
{
	const struct cs_filter filter = { .flows = any(8), .dev = any(4) ? NULL : "r1",
					  .handle = any(4) ? 0 : 0x100000 };
	const struct cs_term term = { .width = 1 + any(120), .height = any(40),
				      .live = any(2), .utf8 = any(2) };
	struct cs_raw raw = snapshot(any(6));
	FILE *out = fopen("/dev/null", "w");

	damage(&raw);
	if (!cs_decode(now, &raw, &filter)) {
		decoded += now->n_qdiscs + now->n_flows;
		cs_table(out, before, now, &term);
		cs_json(out, before, now);
		classes(out, now);
		cs_csv(out, any(2) ? before : NULL, now);
	} else {
		refused++;
		if (errno != EBADMSG)
			abort();
		now->n_qdiscs = now->n_flows = 0;
	}
	fclose(out);
	free(raw.data);
}

int main(int argc, char **argv)
{
	struct cs_snapshot of[2] = {};
	unsigned long rounds, i;

	if (argc != 3)
		return 2;
	rounds = strtoul(argv[1], NULL, 10);
	load(argv[2]);
	for (i = 0; i < rounds; i++) {
		state = (i + 1) * 0x9e3779b97f4a7c15ULL;
		round_of(&of[i & 1], &of[!(i & 1)]);
	}
	cs_snapshot_clear(&of[0]);
	cs_snapshot_clear(&of[1]);
	free(file_data);
	printf("%lu rounds: %zu qdiscs and flows, %zu refused\n", rounds, decoded, refused);
	return !decoded || !refused;
}
