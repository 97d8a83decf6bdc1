// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Snapshots out of a recording; record.h has its format. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "raw.h"
#include "record.h"

#define CS_REPLAY_STEP (1 << 16)

/**
 * struct cs_replay_source - a source of snapshots
 * @source: its interface
 * @filter: selects devices, qdiscs and flows
 * @path: for messages
 * @file: open, behind @head
 * @raw: the last snapshot
 * @n: its number, from 1 on
 * @head: of the next one, if @more
 * @more: there is one
 * @speed: see --speed
 */
struct cs_replay_source {
	struct cs_source source;
	struct cs_filter filter;
	const char *path;
	FILE *file;
	struct cs_raw raw;
	uint64_t n;
	struct cs_record_head head;
	bool more;
	double speed;
};

static int cs_replay_failed(const struct cs_replay_source *replay, const char *what)
{
	if (ferror(replay->file))
		cs_error("%s: %m", replay->path);
	else
		cs_error("%s: %s", replay->path, what);
	return -1;
}

/* Read ahead: how long to wait is known only then. */
static int cs_replay_head(struct cs_replay_source *replay)
{
	size_t n = fread(&replay->head, 1, sizeof(replay->head), replay->file);

	replay->more = n == sizeof(replay->head);
	if (ferror(replay->file) || (n && !replay->more))
		return cs_replay_failed(replay, "the recording is cut off");
	if (replay->more && replay->head.len > CS_RECORD_MAX)
		return cs_replay_failed(replay, "the recording is damaged");
	return 0;
}

/* In steps: a length that is wrong is found out before it costs memory. */
static int cs_replay_body(struct cs_replay_source *replay)
{
	struct cs_raw *raw = &replay->raw;
	size_t step, left = replay->head.len;
	void *at;

	raw->len = 0;
	raw->monotonic = replay->head.monotonic;
	raw->realtime = replay->head.realtime;
	for (; left; left -= step) {
		step = left < CS_REPLAY_STEP ? left : CS_REPLAY_STEP;
		at = cs_raw_reserve(raw, step);
		if (!at)
			return cs_replay_failed(replay, strerror(errno));
		if (fread(at, 1, step, replay->file) != step)
			return cs_replay_failed(replay, "the recording is cut off");
		raw->len += step;
	}
	return 0;
}

/* Why messages could not be decoded: errno */
static int cs_replay_undecoded(const struct cs_replay_source *replay)
{
	if (errno == EFBIG)
		cs_error("%s: snapshot %" PRIu64 " has more than %u qdiscs or %u flows",
			 replay->path, replay->n, CS_QDISCS_MAX, CS_FLOWS_MAX);
	else if (errno == EBADMSG)
		cs_error("%s: the recording is damaged", replay->path);
	else
		cs_error("%s: %m", replay->path);
	return -1;
}

static int cs_replay_next(struct cs_source *source, struct cs_snapshot *snapshot)
{
	struct cs_replay_source *replay = (struct cs_replay_source *)source;
	const uint64_t before = replay->raw.monotonic;

	if (!replay->more)
		return 0;
	if (cs_replay_body(replay))
		return -1;
	replay->n++;
	if (replay->raw.monotonic < before)
		return cs_replay_failed(replay, "the recording is damaged");
	if (cs_decode(snapshot, &replay->raw, &replay->filter))
		return cs_replay_undecoded(replay);
	return cs_replay_head(replay) ? -1 : 1;
}

static uint64_t cs_replay_due(struct cs_source *source, double seconds)
{
	struct cs_replay_source *replay = (struct cs_replay_source *)source;
	double pause;

	(void)seconds;
	if (!replay->more || replay->speed <= 0 || replay->head.monotonic < replay->raw.monotonic)
		return 0;
	pause = (double)(replay->head.monotonic - replay->raw.monotonic) / 1e9 / replay->speed;
	if (pause > 1e6)	/* damaged: reading the next one reports it */
		return 0;
	return cs_now(CLOCK_MONOTONIC) + (uint64_t)(pause * 1e9);
}

static void cs_replay_close(struct cs_source *source)
{
	struct cs_replay_source *replay = (struct cs_replay_source *)source;

	if (replay->file)
		fclose(replay->file);
	free(replay->raw.data);
	free(replay);
}

static int cs_replay_begin(struct cs_replay_source *replay)
{
	struct cs_record_header header;

	replay->file = strcmp(replay->path, "-") ? fopen(replay->path, "re") : stdin;
	if (!replay->file) {
		cs_error("%s: %m", replay->path);
		return -1;
	}
	if (fread(&header, sizeof(header), 1, replay->file) != 1 ||
	    memcmp(header.magic, CS_RECORD_MAGIC, sizeof(header.magic)))
		return cs_replay_failed(replay, "this is no recording of codelstat's");
	if (header.order != CS_RECORD_ORDER)
		return cs_replay_failed(replay, "recorded on a machine of another byte order");
	if (header.version != CS_RECORD_VERSION)
		return cs_replay_failed(replay, "recorded by another version of codelstat");
	if (cs_replay_head(replay))
		return -1;
	return replay->more ? 0 : cs_replay_failed(replay, "the recording is empty");
}

struct cs_source *cs_replay_open(const char *path, const struct cs_filter *filter,
				 double speed)
{
	struct cs_replay_source *replay = calloc(1, sizeof(*replay));

	if (!replay) {
		cs_error("%m");
		return NULL;
	}
	replay->source = (struct cs_source) {
		.next = cs_replay_next,
		.due = cs_replay_due,
		.close = cs_replay_close,
	};
	replay->filter = *filter;
	replay->path = path;
	replay->speed = speed;
	if (!cs_replay_begin(replay))
		return &replay->source;
	cs_replay_close(&replay->source);
	return NULL;
}
