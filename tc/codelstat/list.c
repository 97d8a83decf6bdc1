// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* codelstat itself, and "replay", which is the same on a recording */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "row.h"
#include "term.h"

struct cs_list_state {
	enum { CS_AS_TABLE, CS_AS_JSON, CS_AS_CSV } as;
	struct cs_term term;
	const struct cs_snapshot *before;	/* of the last refresh */
	const struct cs_snapshot *now;
};

static int cs_list_table(struct cs_list_state *state, const struct cs_snapshot *before,
			 const struct cs_snapshot *now)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		cs_error("no memory");
		return CS_SYSTEM;
	}
	cs_term_measure(&state->term);
	cs_table(out, before, now, &state->term);
	if (!state->term.live && before)
		fputc('\n', out);
	fclose(out);
	cs_term_show(&state->term, text);
	free(text);
	return CS_OK;
}

static int cs_list_show(void *self, const struct cs_snapshot *before,
			const struct cs_snapshot *now)
{
	struct cs_list_state *state = self;

	state->before = before;
	state->now = now;
	switch (state->as) {
	case CS_AS_TABLE:
		return cs_list_table(state, before, now);
	case CS_AS_JSON:
		cs_json(stdout, before, now);
		break;
	case CS_AS_CSV:
		cs_csv(stdout, before, now);
		break;
	}
	return CS_OK;
}

static int cs_list_again(void *self, char key)
{
	struct cs_list_state *state = self;

	(void)key;
	return cs_list_show(self, state->before, state->now);
}

static int cs_list_loop(struct cs_common *common, struct cs_list_state *state)
{
	const struct cs_view view = {
		.show = cs_list_show,
		.again = cs_list_again,
		.empty = state->as == CS_AS_JSON,
		.self = state,
	};
	int status;

	/* A pipe or a file gets one refresh, unless a pace is asked for */
	if (!common->replay && !common->paced && !common->count && !isatty(STDOUT_FILENO))
		common->count = 1;
	common->filter.flows = true;
	common->filter.flow_devs = CS_FLOW_DEVS;
	if (state->as == CS_AS_TABLE)
		cs_term_open(&state->term, !common->once, "q quit  p pause");
	if (state->as == CS_AS_CSV)
		cs_csv_header(stdout);
	status = cs_loop(common, &view);
	if (state->as == CS_AS_TABLE)
		cs_term_close(&state->term);
	return status;
}

static const struct option cs_list_own[] = {
	{ "json", optional_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'C' },
	{}
};

static void cs_list_options(struct cs_common *common, struct cs_list_state *state,
			    const struct cs_command *command, int argc, char **argv)
{
	int opt;

	while ((opt = cs_getopt(common, command, argc, argv)) != -1) {
		if (state->as != CS_AS_TABLE)
			cs_usage(command, "one of --json and --csv, and once");
		state->as = opt == 'j' ? CS_AS_JSON : CS_AS_CSV;
		if (opt == 'j')
			cs_read_json(command);
	}
}

static int cs_list_run(int argc, char **argv)
{
	struct cs_common common = CS_COMMON_DEFAULTS;
	struct cs_list_state state = {};

	common.implied = strcmp(argv[0], cs_list.name);
	cs_list_options(&common, &state, &cs_list, argc, argv);
	cs_operand_dev(&common, &cs_list, false, argc, argv);
	return cs_list_loop(&common, &state);
}

static int cs_replay_run(int argc, char **argv)
{
	struct cs_common common = CS_COMMON_DEFAULTS;
	struct cs_list_state state = {};

	cs_list_options(&common, &state, &cs_replay, argc, argv);
	if (optind == argc || common.replay || common.netns)
		cs_usage(&cs_replay, common.netns || common.replay ?
			 "neither --netns nor --replay is for it" : "which file?");
	common.replay = argv[optind++];
	cs_operand_dev(&common, &cs_replay, false, argc, argv);
	return cs_list_loop(&common, &state);
}

#define CS_LIST_HELP \
	"  -j, --json              an object per refresh, with tc's names\n" \
	"  -C, --csv               a line per qdisc and refresh, after one with names\n"

const struct cs_command cs_list = {
	.name = "list",
	.operands = "[DEV]",
	.summary = "All codel and fq_codel qdiscs: rate, delay, backlog, drops, and a verdict.",
	.help = CS_LIST_HELP,
	.options = cs_list_own,
	.run = cs_list_run,
};

const struct cs_command cs_replay = {
	.name = "replay",
	.operands = "FILE [DEV]",
	.summary = "The list, of a recording; - is standard input.",
	.help = CS_LIST_HELP,
	.options = cs_list_own,
	.run = cs_replay_run,
};
