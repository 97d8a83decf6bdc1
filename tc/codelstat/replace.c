// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See replace.h. All steps are relative to one open directory, which cannot be exchanged. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "replace.h"

static int replace_fail(const struct replace *replace)
{
	cs_error("cannot write %s: %m", replace->path);
	return -1;
}

/* A regular file, or nothing that has this name yet */
static int replace_check(const struct replace *replace)
{
	struct stat stat;

	if (fstatat(replace->dir, replace->name, &stat, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : replace_fail(replace);
	if (S_ISREG(stat.st_mode))
		return 0;
	cs_error("cannot write %s: neither a regular file, nor a symbolic link to one, nor a new name",
		 replace->path);
	return -1;
}

static int replace_open(struct replace *replace, const char *where)
{
	const char *slash = strrchr(where, '/');
	const char *name = slash ? slash + 1 : where;
	char *dir;

	if (!*name || strlen(name) + sizeof(".XXXXXXXX") > sizeof(replace->name)) {
		errno = *name ? ENAMETOOLONG : EISDIR;
		return -1;
	}
	strcpy(replace->name, name);
	dir = slash ? strndup(where, (size_t)(slash - where) + 1) : strdup(".");
	if (!dir)
		return -1;
	replace->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	return replace->dir < 0 ? -1 : 0;
}

/* The directory and the name in it; of a link that leads nowhere, those of the link itself */
static int replace_locate(struct replace *replace)
{
	char *target = realpath(replace->path, NULL);
	int err;

	if (!target && errno != ENOENT)
		return -1;
	err = replace_open(replace, target ? target : replace->path);
	free(target);
	return err;
}

/* With O_EXCL, nothing that is there already is opened. */
static int replace_create(struct replace *replace)
{
	uint32_t number;
	int fd;

	do {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -1;
		snprintf(replace->fresh, sizeof(replace->fresh), "%.*s.%08x",
			 (int)(sizeof(replace->fresh) - sizeof(".XXXXXXXX")), replace->name,
			 number);
		fd = openat(replace->dir, replace->fresh,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

int replace_begin(struct replace *replace, const char *path)
{
	int fd;

	replace->path = path;
	if (replace_locate(replace))
		return replace_fail(replace);
	if (replace_check(replace)) {
		close(replace->dir);
		return -1;
	}
	fd = replace_create(replace);
	replace->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (replace->out) {
		fchmod(fd, 0644);	/* whatever the umask */
		return 0;
	}
	replace_fail(replace);
	if (fd >= 0) {
		close(fd);
		unlinkat(replace->dir, replace->fresh, 0);
	}
	close(replace->dir);
	return -1;
}

int replace_end(struct replace *replace)
{
	const bool failed = ferror(replace->out) | fclose(replace->out);
	int err;

	/* again: another file may have got this name meanwhile */
	err = failed ? replace_fail(replace) : replace_check(replace);
	if (!err && renameat(replace->dir, replace->fresh, replace->dir, replace->name))
		err = replace_fail(replace);
	if (err)
		unlinkat(replace->dir, replace->fresh, 0);
	close(replace->dir);
	return err;
}
