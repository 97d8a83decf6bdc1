// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Which sub-command it is; without one, the list of all qdiscs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "term.h"
#include "text.h"

static const struct cs_command *const cs_commands[] = {
	&cs_list, &cs_top, &cs_watch, &cs_export, &cs_record, &cs_replay, NULL
};

static int cs_help(void)
{
	const struct cs_command *const *command;

	printf("usage: codelstat [COMMAND] [OPTION...]\n\n");
	for (command = cs_commands; *command; command++)
		printf("  %-7s %-11s %s\n", (*command)->name, (*command)->operands,
		       (*command)->summary);
	printf("\nWithout COMMAND: list. 'codelstat COMMAND --help' has its options,\n"
	       "and 'codelstat --version' prints the version.\n");
	return CS_OK;
}

static const struct cs_command *cs_find_command(const char *name)
{
	const struct cs_command *const *command;

	for (command = cs_commands; *command && strcmp((*command)->name, name); command++)
		;
	return *command;
}

const char *cs_command_names(void)
{
	static char names[128];
	const struct cs_command *const *command;
	char *at = names;

	for (command = cs_commands; *command; command++) {
		at = cs_text_add(at, names + sizeof(names) - 1, at > names ? ", " : "");
		at = cs_text_add(at, names + sizeof(names) - 1, (*command)->name);
	}
	return names;
}

/* Options may precede the command: move it to the front. */
int main(int argc, char **argv)
{
	const int at = cs_first_operand(cs_commands, argc, argv);
	char *word = at < argc ? argv[at] : NULL;
	const struct cs_command *command = word ? cs_find_command(word) : NULL;

	if (command) {
		memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
		argv[1] = word;
		return command->run(argc - 1, argv + 1);
	}
	if (word && !strcmp(word, "help"))
		return cs_help();
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
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
