// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* "record": snapshots into a file; record.h has its format. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "raw.h"
#include "record.h"

/**
 * struct cs_recorder - writes every snapshot
 * @path: of the recording
 * @file: open; NULL until there is a snapshot to write
 */
struct cs_recorder {
	const char *path;
	FILE *file;
};

static int cs_record_failed(const struct cs_recorder *recorder)
{
	cs_error("%s: %m", recorder->path);
	return -1;
}

static int cs_record_write(const struct cs_recorder *recorder, const struct cs_raw *raw)
{
	const struct cs_record_head head = {
		.monotonic = raw->monotonic,
		.realtime = raw->realtime,
		.len = (uint32_t)raw->len,
	};

	if (raw->len > CS_RECORD_MAX) {
		errno = EFBIG;
		return cs_record_failed(recorder);
	}
	if (fwrite(&head, sizeof(head), 1, recorder->file) != 1 ||
	    fwrite(raw->data, 1, raw->len, recorder->file) != raw->len ||
	    fflush(recorder->file))
		return cs_record_failed(recorder);
	return 0;
}

static int cs_record_begin(struct cs_recorder *recorder)
{
	struct cs_record_header header = {
		.order = CS_RECORD_ORDER,
		.version = CS_RECORD_VERSION,
	};

	memcpy(header.magic, CS_RECORD_MAGIC, sizeof(header.magic));
	recorder->file = strcmp(recorder->path, "-") ? fopen(recorder->path, "we") : stdout;
	if (!recorder->file || fwrite(&header, sizeof(header), 1, recorder->file) != 1)
		return cs_record_failed(recorder);
	return 0;
}

static int cs_record_taken(void *self, const struct cs_source *source)
{
	struct cs_recorder *recorder = self;

	if (!recorder->file && cs_record_begin(recorder))
		return -1;
	return cs_record_write(recorder, cs_netlink_raw(source));
}

static int cs_record_show(void *self, const struct cs_snapshot *before,
			  const struct cs_snapshot *now)
{
	(void)self;
	(void)before;
	(void)now;
	return CS_OK;
}

static int cs_record_run(int argc, char **argv)
{
	struct cs_recorder recorder = {};
	const struct cs_view view = {
		.taken = cs_record_taken,
		.show = cs_record_show,
		.self = &recorder,
	};
	struct cs_common common = CS_COMMON_DEFAULTS;
	int status;

	while (cs_getopt(&common, &cs_record, argc, argv) != -1)
		;
	if (common.replay)
		cs_usage(&cs_record, "--replay is not for it");
	if (optind == argc)
		cs_usage(&cs_record, "into which file?");
	recorder.path = argv[optind++];
	cs_operand_dev(&common, &cs_record, false, argc, argv);
	common.filter.flows = true;

	status = cs_loop(&common, &view);
	if (recorder.file && fclose(recorder.file) && status == CS_OK) {
		cs_record_failed(&recorder);
		status = CS_SYSTEM;
	}
	return status;
}

const struct cs_command cs_record = {
	.name = "record",
	.operands = "FILE [DEV]",
	.summary = "Keep what is seen, flows too; - is standard output.",
	.run = cs_record_run,
};
