// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The loop of every view: open, read, show, wait, and its end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "term.h"

#define CS_SLICE	1000000000	/* ns */

static volatile sig_atomic_t cs_signalled;

static void cs_on_signal(int number)
{
	(void)number;
	cs_signalled = 1;
}

bool cs_stopped(void)
{
	return cs_signalled;
}

/* Without SA_RESTART, so that waiting system calls return */
void cs_catch_signals(void)
{
	struct sigaction action = { .sa_handler = cs_on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* A name of "ip netns", or a path: /proc/PID/ns/net */
static int cs_enter_netns(const char *name)
{
	char path[4096];
	int fd, err;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		cs_error(errno == ENOENT ? "there is no network namespace %s" :
			 "network namespace %s: %m", name);
		return -1;
	}
	err = setns(fd, CLONE_NEWNET);
	if (err)
		cs_error("network namespace %s: %s", name, errno == EINVAL ?
			 "this is none" : strerror(errno));
	close(fd);
	return err;
}

struct cs_source *cs_open(const struct cs_common *common)
{
	if (common->replay)
		return cs_replay_open(common->replay, &common->filter, common->speed);
	if (common->netns && cs_enter_netns(common->netns))
		return NULL;
	return cs_netlink_open(&common->filter);
}

bool cs_is_empty(const struct cs_common *common, const struct cs_snapshot *snapshot, bool empty)
{
	if (snapshot->n_qdiscs)
		return false;
	return !empty || (common->filter.dev && !snapshot->dev_known);
}

void cs_explain_empty(const struct cs_common *common, const struct cs_snapshot *snapshot,
		      bool seen)
{
	const char *where = common->replay ? "in the recording" : "here";
	const char *dev = common->filter.dev;
	char which[32] = "";

	if (snapshot->n_qdiscs) {	/* others */
		cs_error("the qdisc has gone");
		return;
	}
	if (dev && !snapshot->dev_known) {
		if (seen)
			cs_error("device %s has gone", dev);
		else if (common->implied)
			cs_error("%s is neither a device %s nor a command; the commands are %s",
				 dev, where, cs_command_names());
		else
			cs_error("there is no device %s %s", dev, where);
		return;
	}
	if (common->filter.handle)
		snprintf(which, sizeof(which), " with handle %x:", common->filter.handle >> 16);
	cs_error("no codel or fq_codel qdisc%s %s%s%s", which, dev ? "on " : where, dev ? dev : "",
		 seen ? " any more" : "");
	cs_explain_cakes(&common->filter, snapshot->raw);
}

/**
 * struct cs_pair - the present snapshot and the one before
 * @of: both snapshots
 * @now: index of the present one in @of
 * @taken: number of snapshots read
 * @shown: number of refreshes shown, and of those that had nothing to show
 * @absent: the last one had nothing
 */
struct cs_pair {
	struct cs_snapshot of[2];
	unsigned int now;
	uint64_t taken;
	uint64_t shown;
	bool absent;
};

/* 1: go on; 0: the recording is over, without another snapshot; -1: error */
static int cs_take(struct cs_pair *pair, struct cs_source *source, const struct cs_view *view)
{
	struct cs_snapshot *next = &pair->of[!pair->now];
	int got = source->next(source, next);

	if (got != 1)
		return got;
	pair->now ^= 1;
	pair->taken++;
	if (view->taken && next->n_qdiscs && view->taken(view->self, source))
		return -1;
	return 1;
}

/* What a view returned, or that its output could not be written */
static int cs_written(int status)
{
	if (status != CS_OK || (!fflush(stdout) && !ferror(stdout)))
		return status;
	cs_error("writing: %m");
	return CS_SYSTEM;
}

/* Show the last snapshot, also of a recording. */
static int cs_show_once(struct cs_pair *pair, const struct cs_common *common,
			struct cs_source *source, const struct cs_view *view)
{
	int got;

	do {
		got = cs_take(pair, source, view);
	} while (got == 1 && common->replay);
	if (got < 0)
		return CS_SYSTEM;
	if (cs_is_empty(common, &pair->of[pair->now], view->empty)) {
		cs_explain_empty(common, &pair->of[pair->now], false);
		return CS_NOTHING;
	}
	return cs_written(view->show(view->self, NULL, &pair->of[pair->now]));
}

bool cs_sleep(uint64_t due, int fd)
{
	const uint64_t now = cs_now(CLOCK_MONOTONIC);
	const uint64_t left = due > now ? due - now : 0;
	const struct timespec time = {
		.tv_sec = (time_t)(left / 1000000000),
		.tv_nsec = (long)(left % 1000000000),
	};
	struct pollfd keys = { .fd = fd, .events = POLLIN };

	return left && ppoll(&keys, 1, &time, NULL);
}

/* A typed key, or 0: a signal has ended the sleep. */
static int cs_do_key(const struct cs_view *view, bool *paused, char key)
{
	if (key == 'q') {
		cs_signalled = 1;
		return CS_OK;
	}
	if (key == ' ' || key == 'p') {
		*paused = !*paused;
		cs_term_pause(*paused);
		key = 0;
	}
	return cs_written(view->again(view->self, key));
}

/* Until the next snapshot is due, and no pause delays it. Sleep by the second, so that a signal
 * that arrives just before a sleep is noticed.
 */
static int cs_wait_live(const struct cs_view *view, uint64_t due)
{
	bool paused = false, woken;
	int status = CS_OK;
	uint64_t now, end;

	while (status == CS_OK && !cs_signalled) {
		now = cs_now(CLOCK_MONOTONIC);
		if (now >= due && !paused)
			break;
		end = !paused && due < now + CS_SLICE ? due : now + CS_SLICE;
		woken = cs_sleep(end, cs_term_keys());
		if ((woken || cs_term_is_stale()) && !cs_signalled)
			status = cs_do_key(view, &paused, cs_term_key());
	}
	return status;
}

static int cs_wait(const struct cs_common *common, struct cs_source *source,
		   const struct cs_view *view)
{
	const uint64_t due = source->due(source, common->interval);

	if (cs_term_is_taken())
		return cs_wait_live(view, due);
	cs_sleep(due, -1);
	return CS_OK;
}

/* A redial takes ppp0 away for seconds, and a recording over night has to survive that. */
static int cs_show_absent(struct cs_pair *pair, const struct cs_common *common)
{
	const bool last = pair->taken == 1 || pair->shown + 1 == common->count;

	if (last || !pair->absent)
		cs_explain_empty(common, &pair->of[pair->now], pair->taken > 1);
	if (!last && !pair->absent)
		cs_error("waiting until it returns");
	pair->absent = true;
	return last ? CS_NOTHING : CS_OK;
}

static int cs_show_next(struct cs_pair *pair, const struct cs_common *common,
			const struct cs_view *view)
{
	const struct cs_snapshot *now = &pair->of[pair->now];
	int status = CS_OK;

	if (cs_is_empty(common, now, view->empty))
		return cs_show_absent(pair, common);
	if (pair->taken > 1)
		status = cs_written(view->show(view->self, &pair->of[!pair->now], now));
	if (status == CS_ABSENT)
		return cs_show_absent(pair, common);
	pair->absent = false;
	return status;
}

static int cs_show_all(struct cs_pair *pair, const struct cs_common *common,
		       struct cs_source *source, const struct cs_view *view)
{
	int got, status = CS_OK;

	while (status == CS_OK && !cs_signalled) {
		got = cs_take(pair, source, view);
		if (got <= 0)
			return got ? CS_SYSTEM : CS_OK;
		status = cs_show_next(pair, common, view);
		if (pair->taken > 1 && ++pair->shown == common->count)
			break;
		if (status == CS_OK)
			status = cs_wait(common, source, view);
	}
	return status;
}

int cs_loop(const struct cs_common *common, const struct cs_view *view)
{
	struct cs_source *source = cs_open(common);
	struct cs_pair pair = {};
	int status;

	if (!source)
		return CS_SYSTEM;
	cs_catch_signals();
	if (common->once)
		status = cs_show_once(&pair, common, source, view);
	else
		status = cs_show_all(&pair, common, source, view);
	cs_snapshot_clear(&pair.of[0]);
	cs_snapshot_clear(&pair.of[1]);
	source->close(source);
	return status;
}
