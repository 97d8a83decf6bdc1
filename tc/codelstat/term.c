// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The terminal. While it is taken over, its second screen is shown, without a cursor
 * and without an echo of what is typed. All ways out of the process go through
 * term_leave(): the end, signals that kill, and being stopped from the keyboard.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "term.h"
#include "text.h"

#define TERM_BUFFER	65536
#define TERM_HELP	512
#define TERM_ENTER	"\033[?1049h\033[?25l\033[H\033[2J"
#define TERM_FRAME	"\033[?2026h\033[H"	/* terminals that know the mode show it as a whole */
#define TERM_SHOW	"\033[?2026l"
#define TERM_LEAVE	TERM_SHOW "\033[m\033[?25h\033[?1049l"

static struct {
	volatile sig_atomic_t entered;
	volatile sig_atomic_t stale;	/* the last frame is not shown as it should be */
	bool has_modes;
	struct termios modes;	/* as they were */
	struct cs_term *term;	/* the owner of the screen */
	bool keys;		/* standard input is the same terminal */
	bool paused;
} term_state;

/* From here to term_stopped(): async-signal-safe functions only */
static void term_write(const char *text, size_t length)
{
	ssize_t n;

	while (length && (n = write(STDOUT_FILENO, text, length)) > 0) {
		text += n;
		length -= (size_t)n;
	}
}

static void term_enter(void)
{
	struct termios quiet = term_state.modes;

	quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	term_state.entered = 1;
	if (term_state.has_modes)
		tcsetattr(STDOUT_FILENO, TCSANOW, &quiet);
	term_write(TERM_ENTER, strlen(TERM_ENTER));
}

static void term_leave(void)
{
	if (!term_state.entered)
		return;
	term_state.entered = 0;
	term_write(TERM_LEAVE, strlen(TERM_LEAVE));
	if (term_state.has_modes)	/* discard typed characters, which are not for the shell */
		tcsetattr(STDOUT_FILENO, TCSAFLUSH, &term_state.modes);
}

static void term_killed(int signum)
{
	term_leave();
	signal(signum, SIG_DFL);
	raise(signum);
}

static void term_catch(int signum, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(signum, &action, NULL);
}

static void term_stopped(int signum)
{
	bool again = term_state.entered;
	sigset_t set;

	term_leave();
	term_catch(signum, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signum);
	raise(signum);
	sigprocmask(SIG_UNBLOCK, &set, NULL);	/* stops here, until SIGCONT */
	term_catch(signum, term_stopped);
	if (again)
		term_enter();
	term_state.stale = 1;
}

/* Its arrival also ends a sleep */
static void term_size_changed(int signum)
{
	(void)signum;
	term_state.stale = 1;
}

static void term_catch_all(void)
{
	static const int deadly[] = {
		SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE,
	};

	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		term_catch(deadly[i], term_killed);
	term_catch(SIGTSTP, term_stopped);
	term_catch(SIGWINCH, term_size_changed);
	atexit(term_leave);
}

static unsigned int term_number(const char *variable, unsigned int fallback)
{
	const char *text = getenv(variable);
	int value = text ? atoi(text) : 0;

	return value > 0 && value <= 10000 ? (unsigned int)value : fallback;
}

void cs_term_measure(struct cs_term *term)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	term->width = size.ws_col ? size.ws_col : term_number("COLUMNS", 80);
	term->height = size.ws_row ? size.ws_row : term_number("LINES", 24);
	if (term->help && term->height > 1)
		term->height--;
}

static bool term_is_input(void)
{
	struct stat in, out;

	return isatty(STDIN_FILENO) && !fstat(STDIN_FILENO, &in) &&
	       !fstat(STDOUT_FILENO, &out) && in.st_rdev == out.st_rdev;
}

void cs_term_open(struct cs_term *term, bool live, const char *help)
{
	const char *type = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	bool tty = isatty(STDOUT_FILENO) && type && *type && strcmp(type, "dumb");

	setlocale(LC_CTYPE, "");
	term->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	term->colour = tty && !(no_colour && *no_colour);
	term->live = tty && live;
	term->last = NULL;
	term_state.keys = term->live && term_is_input();
	term->help = term_state.keys ? help : NULL;
	cs_term_measure(term);
	if (!term->live)
		return;
	term_state.has_modes = !tcgetattr(STDOUT_FILENO, &term_state.modes);
	term_state.term = term;
	setvbuf(stdout, NULL, _IOFBF, TERM_BUFFER);	/* a frame at a stroke */
	term_catch_all();
}

void cs_term_leave(void)
{
	if (!term_state.entered)
		return;
	term_leave();
	fputs(term_state.term->last ? term_state.term->last : "", stdout);
	fflush(stdout);
}

void cs_term_close(struct cs_term *term)
{
	cs_term_leave();
	free(term->last);
	term->last = NULL;
}

bool cs_term_is_taken(void)
{
	return term_state.entered;
}

bool cs_term_is_stale(void)
{
	return term_state.stale;
}

int cs_term_keys(void)
{
	return term_state.keys ? STDIN_FILENO : -1;
}

/* 0 if nothing was typed. At the end of input there are no keys any more. */
static char term_typed(void)
{
	struct pollfd input = { .fd = cs_term_keys(), .events = POLLIN };
	char typed;
	ssize_t n;

	if (poll(&input, 1, 0) != 1)
		return 0;
	n = read(STDIN_FILENO, &typed, 1);
	if (n == 1)
		return typed;
	if (!n || errno != EINTR)
		term_state.keys = false;
	return 0;
}

/* "\033[1;5A" and "\033OA" are keys without a meaning here. */
char cs_term_key(void)
{
	char key = term_typed();

	if (key != '\033')
		return key;
	key = term_typed();
	if (key == '[' || key == 'O')
		do {
			key = term_typed();
		} while (key && (key < '@' || key > '~'));
	return 0;
}

void cs_term_pause(bool paused)
{
	term_state.paused = paused;
}

static void term_help(const struct cs_term *term)
{
	char line[TERM_HELP];

	snprintf(line, sizeof(line), "%s%s", term_state.paused ? "PAUSED  " : "", term->help);
	printf("\n%s", cs_term_colour(term, CS_DIM));
	cs_text_cut(stdout, line, term->width, term->utf8);
	fputs(cs_term_colour(term, CS_PLAIN), stdout);
}

/* Each line over what was there, which is erased first, with the last one all that is below it:
 * behind a full line the cursor is still in the last column. No line feed after the last line, which
 * would scroll
 */
static void term_draw(const struct cs_term *term, const char *text)
{
	unsigned int height = term->height;
	const char *end;
	bool last;

	fputs(TERM_FRAME, stdout);
	for (; *text && height; text = *end ? end + 1 : end, height--) {
		end = strchrnul(text, '\n');
		last = height == 1 || !*end || !end[1];
		printf("\033[%c%.*s", last ? 'J' : 'K', (int)(end - text), text);
		if (!last)
			fputc('\n', stdout);
	}
	if (term->help)
		term_help(term);
	fputs(TERM_SHOW, stdout);
}

void cs_term_show(struct cs_term *term, const char *text)
{
	term_state.stale = 0;
	if (term->live) {
		free(term->last);
		term->last = strdup(text);
		if (!term_state.entered)
			term_enter();
		term_draw(term, text);
	} else {
		fputs(text, stdout);
	}
	fflush(stdout);
}

const char *cs_term_colour(const struct cs_term *term, enum cs_colour colour)
{
	static const char * const sequences[] = {
		[CS_PLAIN] = "\033[m",
		[CS_BOLD] = "\033[1m",
		[CS_DIM] = "\033[2m",
		[CS_RED] = "\033[31m",
		[CS_GREEN] = "\033[32m",
		[CS_YELLOW] = "\033[33m",
		[CS_BLUE] = "\033[34m",
		[CS_MAGENTA] = "\033[35m",
		[CS_CYAN] = "\033[36m",
	};

	return term->colour ? sequences[colour] : "";
}

void cs_term_line(FILE *out, const struct cs_term *term, enum cs_colour colour,
		  const char *line)
{
	fputs(cs_term_colour(term, colour), out);
	cs_text_cut(out, line, term->width, term->utf8);
	fprintf(out, "%s\n", cs_term_colour(term, CS_PLAIN));
}
