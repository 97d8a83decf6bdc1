// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The options that all commands have. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "../../qdisc/codel_version.h"
#include "commands.h"

#define CS_INTERVAL_MIN	0.01
#define CS_INTERVAL_MAX	10.0
#define CS_SPEED_MAX	1e6

enum {
	CS_OPT_DEV = 0x1000,	/* above every letter and the values that commands use */
	CS_OPT_HANDLE,
	CS_OPT_REPLAY,
	CS_OPT_SPEED,
	CS_OPT_HELP,
};

static const struct option cs_common_options[] = {
	{ "netns", required_argument, NULL, 'n' },
	{ "dev", required_argument, NULL, CS_OPT_DEV },
	{ "handle", required_argument, NULL, CS_OPT_HANDLE },
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'c' },
	{ "once", no_argument, NULL, '1' },
	{ "replay", required_argument, NULL, CS_OPT_REPLAY },
	{ "speed", required_argument, NULL, CS_OPT_SPEED },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{}
};

#define CS_COMMON_OPTIONS (sizeof(cs_common_options) / sizeof(*cs_common_options) - 1)
#define CS_OWN_MAX 32	/* of all commands together */

static const char cs_common_help[] =
	"  -n, --netns NAME        look into this network namespace (a name of ip netns, or a path)\n"
	"      --dev DEV           this device alone\n"
	"      --handle H:         the qdisc with this handle alone\n"
	"  -i, --interval SECONDS  between two looks, 0.01 to 10 (1)\n"
	"  -c, --count N           end after N of them\n"
	"  -1, --once              all that was counted so far, and end\n"
	"      --replay FILE       a recording (codelstat record) in place of this machine\n"
	"      --speed FACTOR      of a recording; 0: without any pause (1)\n"
	"  -h, --help              this\n"
	"  -V, --version           the version of codelstat\n";

static void cs_command_help(const struct cs_command *command)
{
	printf("usage: codelstat %s [OPTION...]%s%s\n\n%s\n\n%s%s", command->name,
	       *command->operands ? " " : "", command->operands, command->summary,
	       command->help ? command->help : "", cs_common_help);
	exit(fflush(stdout) ? CS_SYSTEM : CS_OK);
}

void cs_usage(const struct cs_command *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "codelstat %s: ", command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n'codelstat %s --help' lists the options\n", command->name);
	exit(CS_USAGE);
}

/* strtod() also reads hexadecimal, infinity and leading space */
bool cs_read_number(double *value, const char *text, double min, double max)
{
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] || !*text)
		return false;
	*value = strtod(text, &end);
	return !*end && *value >= min && *value <= max;
}

bool cs_read_count(uint64_t *value, const char *text, uint64_t max)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end && *value <= max;
}

void cs_read_json(const struct cs_command *command)
{
	if (optarg && strcmp(optarg, "2"))
		cs_usage(command, "--json=%s: version 2 is the only one", optarg);
}

/* "10:", as tc writes it: hexadecimal; "10" and "10:0" are the same */
static bool cs_read_handle(uint32_t *handle, const char *text)
{
	unsigned long major;
	char *end;

	if (!isxdigit((unsigned char)*text))
		return false;
	major = strtoul(text, &end, 16);
	if (!strcmp(end, ":") || !strcmp(end, ":0"))
		end = strchr(end, '\0');
	*handle = (uint32_t)(major << 16);
	return !*end && major && major <= 0xffff;
}

static void cs_read_common(struct cs_common *common,
			   const struct cs_command *command, int opt)
{
	switch (opt) {
	case 'n':
		common->netns = optarg;
		break;
	case CS_OPT_DEV:
		if (strlen(optarg) >= IFNAMSIZ || !*optarg)
			cs_usage(command, "--dev %s: no name of a device", optarg);
		common->filter.dev = optarg;
		break;
	case CS_OPT_HANDLE:
		if (!cs_read_handle(&common->filter.handle, optarg))
			cs_usage(command, "--handle %s: not like 10: or 8001:", optarg);
		break;
	case 'i':
		if (!cs_read_number(&common->interval, optarg, CS_INTERVAL_MIN,
				    CS_INTERVAL_MAX))
			cs_usage(command, "--interval %s: not 0.01 to 10 seconds", optarg);
		common->paced = true;
		break;
	case 'c':
		if (!cs_read_count(&common->count, optarg, UINT64_MAX) || !common->count)
			cs_usage(command, "--count %s: not a number from 1 on", optarg);
		break;
	case '1':
		common->once = true;
		break;
	case CS_OPT_REPLAY:
		common->replay = optarg;
		break;
	case CS_OPT_SPEED:
		if (!cs_read_number(&common->speed, optarg, 0, CS_SPEED_MAX))
			cs_usage(command, "--speed %s: not a number from 0 to 1000000",
				 optarg);
		break;
	case 'h':
		cs_command_help(command);
		break;
	case 'V':
		printf("codelstat " CODEL_VERSION "\n");
		exit(fflush(stdout) ? CS_SYSTEM : CS_OK);
	}
}

static bool cs_is_common(int opt)
{
	size_t i;

	for (i = 0; i < CS_COMMON_OPTIONS; i++)
		if (cs_common_options[i].val == opt)
			return true;
	return false;
}

/* getopt's messages name neither the command nor its help. */
static void cs_bad_option(const struct cs_command *command, int opt, char **argv)
{
	const char *word = argv[optind - 1];

	if (opt == ':')
		cs_usage(command, "%s: an argument is missing", word);
	if (optopt && optopt < CS_OPT_DEV && isalnum(optopt) && strncmp(word, "--", 2))
		cs_usage(command, "there is no option -%c", optopt);
	cs_usage(command, "there is no option %s, or not with an argument, or not so short",
		 word);
}

/* Options in both forms of getopt_long() */
struct cs_options {
	struct option all[CS_COMMON_OPTIONS + CS_OWN_MAX + 1];
	char letters[3 * (CS_COMMON_OPTIONS + CS_OWN_MAX) + 3];
	size_t n;
};

static void cs_options_add(struct cs_options *options, const struct option *own)
{
	char *letter = strchr(options->letters, '\0');

	for (; own && own->name && options->n < CS_COMMON_OPTIONS + CS_OWN_MAX; own++) {
		options->all[options->n++] = *own;
		if (own->val > 'z' || !isalnum(own->val))
			continue;
		*letter++ = (char)own->val;
		if (own->has_arg)
			*letter++ = ':';
		if (own->has_arg == optional_argument)
			*letter++ = ':';
	}
}

/* @prefix: see getopt(3) */
static void cs_options_begin(struct cs_options *options, const char *prefix)
{
	memset(options, 0, sizeof(*options));
	strcpy(options->letters, prefix);
	cs_options_add(options, cs_common_options);
}

int cs_first_operand(const struct cs_command *const *commands, int argc, char **argv)
{
	struct cs_options options;

	cs_options_begin(&options, "+:");
	for (; *commands; commands++)
		cs_options_add(&options, (*commands)->options);
	opterr = 0;
	while (getopt_long(argc, argv, options.letters, options.all, NULL) != -1)
		;	/* the command reports what is wrong */
	argc = optind;
	optind = 0;	/* begin again */
	return argc;
}

int cs_getopt(struct cs_common *common, const struct cs_command *command,
	      int argc, char **argv)
{
	struct cs_options options;
	int opt;

	cs_options_begin(&options, ":");
	cs_options_add(&options, command->options);
	while ((opt = getopt_long(argc, argv, options.letters, options.all, NULL)) != -1) {
		if (opt == '?' || opt == ':')
			cs_bad_option(command, opt, argv);
		if (!cs_is_common(opt))
			return opt;
		cs_read_common(common, command, opt);
	}
	if (common->replay && common->netns)
		cs_usage(command, "--netns and --replay exclude each other");
	return -1;
}

void cs_operand_dev(struct cs_common *common, const struct cs_command *command,
		    bool required, int argc, char **argv)
{
	if (optind < argc && common->filter.dev)
		cs_usage(command, "%s: there is a --dev already", argv[optind]);
	if (optind + 1 < argc && common->implied) {
		cs_error("%s %s: %s is not a command; the commands are %s", argv[optind],
			 argv[optind + 1], argv[optind], cs_command_names());
		exit(CS_USAGE);
	}
	if (optind < argc) {
		if (strlen(argv[optind]) >= IFNAMSIZ || !*argv[optind])
			cs_usage(command, "%s: neither a command nor the name of a device",
				 argv[optind]);
		common->filter.dev = argv[optind++];
	}
	if (optind < argc)
		cs_usage(command, "%s: one word too many", argv[optind]);
	if (required && !common->filter.dev)
		cs_usage(command, "which device?");
}
