// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* "codelstat export": metrics for Prometheus, over HTTP or into a file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "http.h"
#include "openmetrics.h"
#include "replace.h"

#define EXPORT_LISTEN	"127.0.0.1:8289"	/* after RFC 8289, which is CoDel's */
#define EXPORT_VERDICT	1000000000ULL	/* ns; a shorter time would often be idle */

/**
 * struct export - state of the exporter
 * @source: asked at each
 * @snapshots: memory of the next three, and of the next answer
 * @now: the last answer
 * @before: an earlier one, EXPORT_VERDICT or more before @now; NULL until there is one
 * @mark: the next @before, once it is as old
 * @metrics: how to write
 * @last: the recording has ended: its last snapshot stays
 * @url: of the server
 */
struct export {
	struct cs_source *source;
	struct cs_snapshot snapshots[4];
	struct cs_snapshot *now;
	struct cs_snapshot *before;
	struct cs_snapshot *mark;
	struct metrics metrics;
	bool last;
	char url[128];
};

/* The beginning of the interval changes with each scrape, but not with several in a second. */
static void export_keep(struct export *export, struct cs_snapshot *fresh)
{
	export->now = fresh;
	if (!export->mark) {
		export->mark = fresh;
	} else if (fresh->monotonic - export->mark->monotonic >= EXPORT_VERDICT) {
		export->before = export->mark;
		export->mark = fresh;
	}
}

/* A fresh snapshot, in the place of the last; false after an error, which was printed */
static bool export_take(struct export *export)
{
	struct cs_snapshot *fresh = export->snapshots;
	uint64_t began;
	int got;

	if (export->last)
		return true;
	while (fresh == export->now || fresh == export->before || fresh == export->mark)
		fresh++;
	began = cs_now(CLOCK_MONOTONIC);
	got = export->source->next(export->source, fresh);
	export->metrics.seconds = (double)(cs_now(CLOCK_MONOTONIC) - began) / 1e9;
	export->metrics.errors += got < 0;
	export->last = !got;
	if (got > 0) {
		if (export->now)
			cs_follow(fresh, export->now);
		export_keep(export, fresh);
	}
	return got >= 0;
}

static void export_index(struct http_answer *answer)
{
	answer->type = "text/html; charset=utf-8";
	fputs("<!DOCTYPE html>\n<title>codelstat</title>\n<h1>codelstat</h1>\n"
	      "<p>CoDel and FQ-CoDel queues: <a href=\"/metrics\">metrics</a></p>\n",
	      answer->body);
}

static bool export_is_open(const char *accept)
{
	double open = http_preference(accept, "application/openmetrics-text");

	return open > 0 && open >= http_preference(accept, "text/plain");
}

static void export_metrics(struct export *export, const char *accept,
			   struct http_answer *answer)
{
	if (!export_take(export)) {
		answer->status = 500;
		fputs("the kernel did not answer; see standard error\n", answer->body);
		return;
	}
	export->metrics.open = export_is_open(accept);
	answer->type = export->metrics.open ? METRICS_TYPE_OPEN : METRICS_TYPE_PLAIN;
	metrics_print(answer->body, &export->metrics, export->before, export->now);
}

static void export_answer(void *context, const char *path, const char *accept,
			  struct http_answer *answer)
{
	if (!strcmp(path, "/metrics")) {
		export_metrics(context, accept, answer);
	} else if (!strcmp(path, "/")) {
		export_index(answer);
	} else {
		answer->status = 404;
		fputs("there are / and /metrics\n", answer->body);
	}
}

/* Metrics in either format */
static const char *export_shared(const char *path, const char *accept)
{
	if (strcmp(path, "/metrics"))
		return NULL;
	return export_is_open(accept) ? METRICS_TYPE_OPEN : METRICS_TYPE_PLAIN;
}

static void export_ready(const void *context)
{
	const struct export *export = context;

	fprintf(stderr, "codelstat: serving %s/metrics\n", export->url);
}

/* Until a signal, with the socket that is listened at */
static int export_serve(struct export *export, int fd)
{
	const struct http_server server = {
		.fd = fd,
		.answer = export_answer,
		.shared = export_shared,
		.context = export,
		.ready = export_ready,
		.stopped = cs_stopped,
	};

	cs_catch_signals();
	if (!http_serve(&server))
		return CS_OK;
	cs_error("the HTTP server does not start: %m; it needs %d descriptors (RLIMIT_NOFILE)",
		 HTTP_FILES);
	return CS_SYSTEM;
}

/* Open the socket first: the server stays in the caller's network namespace, also with --netns. */
static int export_listen(struct export *export, const struct cs_common *common,
			 const char *where)
{
	struct addrinfo *address = http_address(where);
	int fd, status = CS_SYSTEM;

	if (!address)
		cs_usage(&cs_export, "--listen %s: allowed are IPV4-ADDRESS:PORT and "
			 "[IPV6-ADDRESS]:PORT, such as 127.0.0.1:8289 and [::1]:8289; "
			 "0.0.0.0 and [::] stand for all addresses", where);
	fd = http_listen(address, export->url, sizeof(export->url));
	freeaddrinfo(address);
	if (fd < 0) {
		cs_error("cannot listen at %s: %m", where);
		return CS_SYSTEM;
	}
	export->source = cs_open(common);
	if (export->source)
		status = export_serve(export, fd);
	else
		close(fd);
	return status;
}

static int export_write(const struct export *export, const char *path)
{
	struct replace file;

	if (strcmp(path, "-")) {
		if (replace_begin(&file, path))
			return CS_SYSTEM;
		metrics_print(file.out, &export->metrics, export->before, export->now);
		return replace_end(&file) ? CS_SYSTEM : CS_OK;
	}
	metrics_print(stdout, &export->metrics, export->before, export->now);
	if (!fflush(stdout))
		return CS_OK;
	cs_error("cannot write standard output: %m");
	return CS_SYSTEM;
}

/* Once, and then the end of a recording; or every interval, --count times at most */
static int export_textfile(struct export *export, const struct cs_common *common,
			   const char *path)
{
	bool once = common->once || !(common->interval > 0);
	uint64_t left = once ? 1 : common->count;
	int status;

	export->source = cs_open(common);
	if (!export->source)
		return CS_SYSTEM;
	cs_catch_signals();
	for (;;) {
		do {
			if (!export_take(export))
				return CS_SYSTEM;
		} while (once && common->replay && !export->last);
		if (once)
			export->before = NULL;
		status = export_write(export, path);
		if (status == CS_OK && !export->now->n_qdiscs && once) {
			cs_explain_empty(common, export->now, false);
			status = CS_NOTHING;
		}
		if (status != CS_OK || !--left || export->last)
			return status;
		cs_sleep(export->source->due(export->source, common->interval), -1);
		if (cs_stopped())
			return CS_OK;
	}
}

/**
 * struct export_options - options of the command
 * @listen: ADDR:PORT, or NULL
 * @textfile: a path, or NULL
 * @buckets: of the histogram to a power of two; 0: round
 * @states: see struct metrics
 */
struct export_options {
	const char *listen;
	const char *textfile;
	unsigned int buckets;
	bool states;
};

static const char export_help[] =
	"  -l, --listen ADDR:PORT  serve http://ADDR:PORT/metrics (" EXPORT_LISTEN ");\n"
	"                          IPv6 as [::1]:8289; port 0 is one that is free\n"
	"  -t, --textfile PATH     replace a regular file instead, once or every --interval;\n"
	"                          - is standard output\n"
	"  -b, --buckets N         exact buckets of the histogram, to each power of two: 1, 2, 4\n"
	"                          or 8; without this, round bounds from 1 ms to 5 s\n"
	"  -s, --states            codel_verdict for each verdict, too, as before; in this release\n"
	"                          for the last time\n";

static void export_option(struct export_options *options, int opt)
{
	uint64_t n;

	switch (opt) {
	case 'l':
		options->listen = optarg;
		break;
	case 't':
		options->textfile = optarg;
		break;
	case 'b':
		if (!cs_read_count(&n, optarg, CODEL_DELAY_SUB) || !n ||
		    CODEL_DELAY_SUB % n)
			cs_usage(&cs_export, "--buckets %s: not 1, 2, 4 or 8", optarg);
		options->buckets = (unsigned int)n;
		break;
	case 's':
		options->states = true;
		break;
	}
}

static void export_check(const struct export_options *options,
			 const struct cs_common *common)
{
	if (options->textfile && options->listen)
		cs_usage(&cs_export, "--listen and --textfile exclude each other");
	if (!options->textfile && (common->interval > 0 || common->count || common->once))
		cs_usage(&cs_export, "--interval, --count and --once are for --textfile: a "
			 "scrape decides itself when it comes");
}

static const struct option export_own[] = {
	{ "listen", required_argument, NULL, 'l' },
	{ "textfile", required_argument, NULL, 't' },
	{ "buckets", required_argument, NULL, 'b' },
	{ "states", no_argument, NULL, 's' },
	{}
};

static int export_run(int argc, char **argv)
{
	struct export_options options = {};
	struct cs_common common = { .speed = 1 };	/* no interval unless asked for */
	struct export export = { 0 };
	int opt, status;

	while ((opt = cs_getopt(&common, &cs_export, argc, argv)) != -1)
		export_option(&options, opt);
	cs_operand_dev(&common, &cs_export, false, argc, argv);
	export_check(&options, &common);
	common.filter.flows = true;
	common.filter.flow_devs = CS_FLOW_DEVS;
	export.metrics.buckets = options.buckets;
	export.metrics.states = options.states;
	if (options.textfile)
		status = export_textfile(&export, &common, options.textfile);
	else
		status = export_listen(&export, &common,
				       options.listen ? options.listen : EXPORT_LISTEN);
	if (export.source)
		export.source->close(export.source);
	for (opt = 0; opt < 4; opt++)
		cs_snapshot_clear(&export.snapshots[opt]);
	return status;
}

const struct cs_command cs_export = {
	.name = "export",
	.operands = "[DEV]",
	.summary = "Metrics for Prometheus: counters, settings and histograms of delay.",
	.help = export_help,
	.options = export_own,
	.run = export_run,
};
