/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Sub-commands, their common options, and their common loop. To add a command, write a
 * file like this, and add the command to the table in main.c:
 *
 *	static const struct option cs_foo_options[] = {
 *		{ "wide", no_argument, NULL, 'w' },	// "-w", too
 *		{}
 *	};
 *
 *	static int cs_foo_run(int argc, char **argv)
 *	{
 *		struct cs_common common = CS_COMMON_DEFAULTS;
 *		int opt;
 *
 *		while ((opt = cs_getopt(&common, &cs_foo, argc, argv)) != -1)
 *			...					// 'w'; optarg
 *		cs_operand_dev(&common, &cs_foo, true, argc, argv);
 *		return cs_loop(&common, &(struct cs_view) { .show = cs_foo_show });
 *	}
 */
#ifndef CODELSTAT_COMMANDS_H
#define CODELSTAT_COMMANDS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "row.h"
#include "snapshot.h"

/* Exit status of codelstat */
enum cs_status {
	CS_OK = 0,
	CS_NOTHING = 1,		/* no such device or qdisc, or it was removed */
	CS_USAGE = 2,		/* bad arguments */
	CS_SYSTEM = 3,		/* a system call failed; a recording is damaged */
	CS_ABSENT = -1,		/* of a view alone: its qdisc has gone, and may return */
};

/**
 * struct cs_command - a sub-command
 * @name: the word that is typed
 * @operands: its operands, for the usage: "[DEV]"
 * @summary: its purpose, half a line
 * @help: its own options, lines like those of cs_common_help, or NULL
 * @options: the same for getopt_long(), or NULL; ends with an entry of zeros; flag must be
 *	NULL. Where val is a letter, it is a short option, too. Letters and names of common
 *	options, and letters of another command with another has_arg, cannot be used
 * @run: @argv[0] is its name, @argv[argc] NULL; returns an enum cs_status
 */
struct cs_command {
	const char *name;
	const char *operands;
	const char *summary;
	const char *help;
	const struct option *options;
	int (*run)(int argc, char **argv);
};

extern const struct cs_command cs_list, cs_top, cs_watch, cs_export, cs_record, cs_replay;

/* "list, top, watch": all of them */
const char *cs_command_names(void);

/**
 * struct cs_common - options that all commands have
 * @filter: --dev or the operand DEV, --handle; the command sets @filter.flows itself
 * @netns: --netns: name or path of a network namespace, NULL for the caller's
 * @replay: --replay: a recording in the place of the kernel, or NULL
 * @speed: --speed: of a recording; 0 is without any pause
 * @interval: --interval, seconds
 * @paced: --interval was given
 * @count: --count: refreshes to show, 0 for no end
 * @once: -1: show the counts since the counters began, and end
 * @implied: no command was given, so that the operand may be a mistyped one
 */
struct cs_common {
	struct cs_filter filter;
	const char *netns;
	const char *replay;
	double speed;
	double interval;
	bool paced;
	uint64_t count;
	bool once;
	bool implied;
};

#define CS_COMMON_DEFAULTS { .interval = 1, .speed = 1 }

/**
 * cs_getopt() - return the next option of the command; handle common options
 * @common: filled
 * @command: for messages and --help
 *
 * Return: val of the option (its argument is in optarg), -1 after the last one. A wrong
 * option ends the process with CS_USAGE, --help with CS_OK.
 */
int cs_getopt(struct cs_common *common, const struct cs_command *command,
	      int argc, char **argv);

/* Index of the first word that is neither an option of any command nor its argument; @argc
 * if there is none. @commands: all, with NULL at the end
 */
int cs_first_operand(const struct cs_command *const *commands, int argc, char **argv);

/* After cs_getopt(): the operand DEV and no other; ends the process if it is missing. */
void cs_operand_dev(struct cs_common *common, const struct cs_command *command,
		    bool required, int argc, char **argv);

/* Print an error about the arguments, and end the process with CS_USAGE. */
void cs_usage(const struct cs_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* "codelstat: ...", on standard error; a line */
void cs_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Numbers out of arguments: false unless all of @text is one, between the bounds. */
bool cs_read_number(double *value, const char *text, double min, double max);
bool cs_read_count(uint64_t *value, const char *text, uint64_t max);

/* Of --json: its argument, which may be absent, or the version */
void cs_read_json(const struct cs_command *command);

/* The source that @common asks for; enters its namespace. NULL after an error. */
struct cs_source *cs_open(const struct cs_common *common);

/* Whether the snapshot has nothing to show. @empty: see struct cs_view */
bool cs_is_empty(const struct cs_common *common, const struct cs_snapshot *snapshot, bool empty);

/* Print the reason for an empty snapshot, in a line, and one for each cake instead. @seen: an earlier one was not empty. */
void cs_explain_empty(const struct cs_common *common, const struct cs_snapshot *snapshot,
		      bool seen);

/* cake.c: a line for each cake that @filter selects */
void cs_explain_cakes(const struct cs_filter *filter, const struct cs_raw *raw);

/* Set by SIGINT and SIGTERM once cs_catch_signals() was called (cs_loop() does). */
bool cs_stopped(void);
void cs_catch_signals(void);

/* Sleep until @due, see struct cs_source; end early, and return true, after a signal, or when
 * @fd, if it is not negative, can be read.
 */
bool cs_sleep(uint64_t due, int fd);

/**
 * struct cs_view - shows what the loop reads
 * @taken: called for each snapshot that has a qdisc, shown or not; 0, or -1 after an error,
 *	which was printed. NULL: only @show is called
 * @show: a refresh; CS_OK to go on. With -1, it is called once and @before is NULL;
 *	otherwise from the second snapshot on. --count counts its calls, and the snapshots
 *	that have nothing to show
 * @again: the last refresh, of which the snapshots are still there, after the key @key; 0 is
 *	a change of the terminal's size, or a pause that begins or ends. Only on a terminal;
 *	CS_OK to go on
 * @empty: shows a snapshot without any qdisc, too, unless --dev is not there
 * @self: for all of them
 */
struct cs_view {
	int (*taken)(void *self, const struct cs_source *source);
	int (*show)(void *self, const struct cs_snapshot *before,
		    const struct cs_snapshot *now);
	int (*again)(void *self, char key);
	bool empty;
	void *self;
};

/**
 * cs_loop() - open, read, show, wait; until --count, the end of a recording, a signal or "q"
 * @common: options
 * @view: of the command
 *
 * What has been seen and goes may return: an empty snapshot ends the loop only if it is the first
 * one, or the last one of --count.
 *
 * Return: an enum cs_status; CS_NOTHING, and a message, if an empty snapshot has ended it.
 */
int cs_loop(const struct cs_common *common, const struct cs_view *view);

#endif /* CODELSTAT_COMMANDS_H */
