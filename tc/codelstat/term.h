/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Frames of text on standard output: drawn in place of one another on a terminal,
 * one after the other elsewhere. A frame is composed in the same way for both.
 *
 *	cs_term_open(&term, !once, "q quit");
 *	...
 *	cs_term_measure(&term);
 *	out = open_memstream(&text, &size);
 *	fprintf(out, "%sp99%s\n", cs_term_colour(&term, CS_RED), cs_term_colour(&term, CS_PLAIN));
 *	fclose(out);
 *	cs_term_show(&term, text);
 *	...
 *	cs_term_close(&term);
 */
#ifndef CODELSTAT_TERM_H
#define CODELSTAT_TERM_H

#include <stdbool.h>
#include <stdio.h>

enum cs_colour {
	CS_PLAIN,	/* ends any other */
	CS_BOLD,
	CS_DIM,
	CS_RED,
	CS_GREEN,
	CS_YELLOW,
	CS_BLUE,
	CS_MAGENTA,
	CS_CYAN,
};

/**
 * struct cs_term - properties of standard output
 * @live: frames are drawn in place
 * @colour: it has colour, and NO_COLOR is not set
 * @utf8: the locale is one of UTF-8
 * @width: columns; $COLUMNS or 80 where it is no terminal
 * @height: lines, without the one of @help; $LINES or 24
 * @help: the keys of the view, a line below each frame; NULL where there are no keys
 * @last: the last frame, which is left on the screen at the end
 */
struct cs_term {
	bool live;
	bool colour;
	bool utf8;
	unsigned int width;
	unsigned int height;
	const char *help;
	char *last;
};

/*
 * Find out; if @live, the first frame takes over the screen of a terminal, until
 * cs_term_close() or until the process ends, by a signal or otherwise. If this terminal is
 * standard input as well, it has keys, and @help is shown.
 */
void cs_term_open(struct cs_term *term, bool live, const char *help);
void cs_term_close(struct cs_term *term);

/* Give the screen back, with the last frame on it, so that a message can be seen; the
 * next frame takes it again. Nothing to do where no frame is shown in place.
 */
void cs_term_leave(void);

/* Whether a frame is shown in place */
bool cs_term_is_taken(void);

/* Whether the terminal has another size since the last frame, or the process was stopped: the
 * signal may have arrived before a sleep and not have ended it
 */
bool cs_term_is_stale(void);

/* Where keys can be read from, for poll(); -1: nowhere */
int cs_term_keys(void);

/* A typed key; 0 if there is none, and for a sequence such as that of an arrow */
char cs_term_key(void);

/* Whether the next frames say that no others will follow */
void cs_term_pause(bool paused);

/* The size may have changed since the last frame. A change interrupts a sleep. */
void cs_term_measure(struct cs_term *term);

/* Lines, none wider than the screen; of a live frame, no more than the screen's height */
void cs_term_show(struct cs_term *term, const char *text);

/* The sequence that switches to a colour; "" without colour */
const char *cs_term_colour(const struct cs_term *term, enum cs_colour colour);

/* Print a line of ASCII in a colour; one that is wider than @term ends in a mark */
void cs_term_line(FILE *out, const struct cs_term *term, enum cs_colour colour,
		  const char *line);

#endif /* CODELSTAT_TERM_H */
