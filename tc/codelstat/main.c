// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Which sub-command it is; without one, the list of all qdiscs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "term.h"

static const struct cs_command *const cs_commands[] = {
	&cs_list, &cs_top, &cs_watch, &cs_export, &cs_record, &cs_replay,
};

#define CS_COMMANDS (sizeof(cs_commands) / sizeof(*cs_commands))

static int cs_help(void)
{
	size_t i;

	printf("usage: codelstat [COMMAND] [OPTION...]\n\n");
	for (i = 0; i < CS_COMMANDS; i++)
		printf("  %-7s %-11s %s\n", cs_commands[i]->name,
		       cs_commands[i]->operands, cs_commands[i]->summary);
	printf("\nWithout COMMAND: list. 'codelstat COMMAND --help' has its options.\n");
	return CS_OK;
}

static const struct cs_command *cs_find_command(const char *name)
{
	size_t i;

	for (i = 0; i < CS_COMMANDS; i++)
		if (!strcmp(cs_commands[i]->name, name))
			return cs_commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct cs_command *command = NULL;

	if (argc > 1)
		command = cs_find_command(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	if (argc > 1 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
			 !strcmp(argv[1], "-h")))
		return cs_help();
	/* a word that is no command is the device of a list */
	return cs_list.run(argc, argv);
}

void cs_error(const char *format, ...)
{
	va_list args;

	cs_term_leave();
	fflush(stdout);
	fputs("codelstat: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
