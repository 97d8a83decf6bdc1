/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A file that is replaced as a whole: its readers find the old one or the new one. Only
 * regular files are replaced; through a symbolic link, the file that it leads to.
 */
#ifndef CODELSTAT_REPLACE_H
#define CODELSTAT_REPLACE_H

#include <limits.h>
#include <stdio.h>

/**
 * struct replace - a new file, until it takes the place of the old one
 * @path: of the file, as given
 * @dir: the directory that has it, open
 * @name: of the file in @dir
 * @fresh: of the new file in @dir
 * @out: to write the new file to
 */
struct replace {
	const char *path;
	int dir;
	char name[NAME_MAX + 1];
	char fresh[NAME_MAX + 1];
	FILE *out;
};

/* A new file beside @path, mode 0644; -1 after an error, which was printed */
int replace_begin(struct replace *replace, const char *path);

/* Rename it to @path, or after an error remove it; -1 after an error, which was printed */
int replace_end(struct replace *replace);

#endif /* CODELSTAT_REPLACE_H */
