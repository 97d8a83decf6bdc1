// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * JSON: tc's names and shapes. Options and statistics are printed from the kernel's
 * message by the code of tc's plugins; the rest of this file are the members that tc's core
 * prints, and those that codelstat adds. doc/codel.schema.json describes all of them.
 */
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>

#include "../codel_ext_stats.h"
#include "../codel_histogram.h"
#include "link.h"
#include "qdisc_json.h"
#include "raw.h"
#include "tc_json.h"
#include "text.h"

extern struct qdisc_util codel_oot_qdisc_util, fq_codel_oot_qdisc_util;

/* The same in <linux/rtnetlink.h>; tc's functions change nothing */
static struct rtattr *qj_rtattr(const struct nlattr *attr)
{
	return (struct rtattr *)(uintptr_t)attr;
}

/**
 * struct qj_message - a qdisc or a class as the kernel sent it
 * @tcm: its header
 * @kind: its kind
 * @util: the front end of its kind
 * @options: TCA_OPTIONS, or NULL
 * @stats: by number (TCA_STATS_APP)
 */
struct qj_message {
	const struct tcmsg *tcm;
	char kind[CS_KIND_MAX];
	const struct qdisc_util *util;
	const struct nlattr *options;
	const struct nlattr *stats[TCA_STATS_PKT64 + 1];
};

static void qj_read(struct qj_message *message, const struct cs_snapshot *now, size_t at,
		    enum cs_kind type)
{
	const struct nlmsghdr *nlh = (const void *)(now->raw->data + at);
	const struct nlattr *tb[TCA_STATS2 + 1];

	message->tcm = mnl_nlmsg_get_payload(nlh);
	message->util = type == CS_CODEL ? &codel_oot_qdisc_util : &fq_codel_oot_qdisc_util;
	cs_attrs(tb, TCA_STATS2, message->tcm + 1,
		 mnl_nlmsg_get_payload_len(nlh) - sizeof(*message->tcm));
	cs_word(message->kind, sizeof(message->kind), tb[TCA_KIND]);
	message->options = tb[TCA_OPTIONS];
	memset(message->stats, 0, sizeof(message->stats));
	if (tb[TCA_STATS2])
		cs_attrs(message->stats, TCA_STATS_PKT64, mnl_attr_get_payload(tb[TCA_STATS2]),
			 mnl_attr_get_payload_len(tb[TCA_STATS2]));
}

static void qj_handle(const char *key, __u32 handle)
{
	char text[CS_TEXT];

	codel_json_string(key, cs_text_handle(text, handle));
}

static void qj_parent(const struct tcmsg *tcm)
{
	if (tcm->tcm_parent == TC_H_ROOT)
		codel_json_bool("root", true);
	else
		qj_handle("parent", tcm->tcm_parent);
}

/* Counters of all kinds of qdiscs */
static void qj_common(const struct qj_message *message)
{
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	__u64 packets;

	cs_copy(&basic, sizeof(basic), message->stats[TCA_STATS_BASIC]);
	cs_copy(&queue, sizeof(queue), message->stats[TCA_STATS_QUEUE]);
	if (cs_copy(&packets, sizeof(packets), message->stats[TCA_STATS_PKT64]) < sizeof(packets))
		packets = basic.packets;
	if (message->stats[TCA_STATS_BASIC]) {	/* a class without a flow record has none */
		codel_json_u64("bytes", basic.bytes);
		codel_json_u64("packets", packets);
	}
	codel_json_uint("drops", queue.drops);
	codel_json_uint("overlimits", queue.overlimits);
	codel_json_uint("requeues", queue.requeues);
	codel_json_uint("backlog", queue.backlog);
	codel_json_uint("qlen", queue.qlen);
}

/* @extended: the statistics that only out-of-tree modules have; false if they are damaged */
static void qj_own(const struct qj_message *message, bool extended)
{
	const struct nlattr *app = message->stats[TCA_STATS_APP];
	union {
		struct nlattr attr;
		char data[sizeof(struct nlattr) + sizeof(struct tc_fq_codel_xstats)];
	} in_tree;
	size_t given;

	if (app && !extended) {
		given = cs_copy(in_tree.data + sizeof(in_tree.attr),
				sizeof(in_tree.data) - sizeof(in_tree.attr), app);
		in_tree.attr = *app;
		if (given > sizeof(in_tree.data) - sizeof(in_tree.attr))
			in_tree.attr.nla_len = sizeof(in_tree.data);
		app = &in_tree.attr;
	}
	message->util->print_xstats(message->util, NULL, qj_rtattr(app));
}

/* Buckets from the first to the last that have packets, and their percentiles */
static void qj_delay(const struct cs_row *row)
{
	struct codel_histogram h = {
		.buckets = CODEL_DELAY_BUCKETS,
		.end = CODEL_DELAY_BUCKETS,
		.bound = codel_delay_bound,
		.max = row->q->ext_stats.delay_max,
	};

	memcpy(h.packets, row->delta.delay, sizeof(h.packets));
	while (h.end && !h.packets[h.end - 1])
		h.end--;
	while (h.first < h.end && !h.packets[h.first])
		h.first++;
	open_json_object("delay");
	if (row->delays.known)
		codel_json_u64("max_ns", (__u64)row->delays.max);
	else
		codel_json_null("max_ns");
	codel_json_histogram(&h);
	close_json_object();
}

static void qj_causes(const char *key, const char *const *words, const uint64_t *packets, size_t n)
{
	size_t i;

	open_json_object(key);
	for (i = 0; i < n; i++) {
		open_json_object(words[i]);
		codel_json_u64("packets", packets[i]);
		close_json_object();
	}
	close_json_object();
}

/* The figures of the list: of the interval, or without one since the counters began */
static void qj_change(const struct cs_row *row)
{
	const struct cs_delta *d = &row->delta;

	codel_json_string("since", row->since ? "before" : "start");
	open_json_object("change");
	codel_json_u64("bytes", d->bytes);
	codel_json_u64("packets", d->packets);
	if (row->q->oot)
		codel_json_u64("wire_bytes", d->wire);
	if (row->q->link.queues) {
		open_json_object("link");
		codel_json_u64("waits", d->waits);
		codel_json_u64("wait_ns", d->wait_sum);
		close_json_object();
	}
	qj_causes("dropped", codel_drop_causes, d->cause, CODEL_DROP_CAUSES);
	qj_causes("marked", codel_mark_causes, d->mark, CODEL_MARK_CAUSES);
	if (row->q->oot)
		qj_delay(row);
	if (row->backlog_ms < 0)
		codel_json_null("backlog_ms");
	else
		tc_json_real("backlog_ms", row->backlog_ms, 3);
	close_json_object();
}

static void qj_verdict(const struct cs_row *row)
{
	char text[256];
	enum cs_code code = cs_verdict(row->q, &row->delta, row->flows, row->n_flows, text,
				       sizeof(text));

	codel_json_string("verdict", text);
	codel_json_string("verdict_code", cs_code_words[code]);
}

void qdisc_json(const char *key, const struct cs_snapshot *now, const struct cs_row *row)
{
	const struct cs_qdisc *q = row->q;
	struct qj_message message;

	qj_read(&message, now, q->message, q->type);
	open_json_object(key);
	codel_json_string("kind", message.kind);
	qj_handle("handle", q->handle);
	codel_json_string("dev", q->dev);
	codel_json_int("ifindex", q->ifindex);
	qj_parent(message.tcm);
	if (*q->above)
		codel_json_string("above", q->above);
	codel_json_string("module", cs_module_word(q));
	open_json_object("options");
	message.util->print_qopt(message.util, NULL, qj_rtattr(message.options));
	close_json_object();
	qj_common(&message);
	qj_own(&message, q->oot);
	qj_change(row);
	qj_verdict(row);
	close_json_object();
}

void qdisc_json_class(const struct cs_snapshot *now, const struct cs_flow *flow)
{
	struct qj_message message;

	qj_read(&message, now, flow->message, CS_FQ_CODEL);
	codel_json_string("class", message.kind);
	qj_handle("handle", flow->classid);
	qj_handle("parent", message.tcm->tcm_parent);
	open_json_object("stats");
	qj_common(&message);
	qj_own(&message, true);
	close_json_object();
}

void qdisc_json_time(const struct cs_snapshot *before, const struct cs_snapshot *now)
{
	codel_json_uint("version", CS_JSON_VERSION);
	tc_json_seconds("time", now->realtime);
	if (before)
		tc_json_seconds("seconds", now->monotonic - before->monotonic);
	else
		codel_json_null("seconds");
}

static void qj_sum(const struct cs_total *total)
{
	codel_json_uint("queues", (__u32)total->queues);
	codel_json_u64("bytes", total->q.bytes);
	codel_json_u64("packets", total->q.packets);
	codel_json_u64("drops", total->drops);
	codel_json_u64("backlog", total->q.backlog);
	codel_json_u64("qlen", total->q.qlen);
	qj_change(&total->row);
}

/* A device with several qdiscs, which is their sum */
static void qj_total(const struct cs_snapshot *before, const struct cs_snapshot *now, size_t first)
{
	struct cs_total total;

	cs_total_fill(&total, before, now, first, CS_OTHER);
	open_json_object(NULL);
	codel_json_string("dev", total.q.dev);
	codel_json_int("ifindex", total.q.ifindex);
	qj_sum(&total);
	close_json_object();
}

/* A rate that several qdiscs share. Its numbers have the names of the qdiscs' own part in it. */
static void qj_link(const struct cs_snapshot *before, const struct cs_snapshot *now, size_t first,
		    enum cs_kind kind)
{
	struct cs_total link;
	double used;

	cs_link_fill(&link, before, now, first, kind);
	used = cs_link_used(&link);
	open_json_object(NULL);
	codel_json_string("dev", link.q.dev);
	codel_json_int("ifindex", link.q.ifindex);
	codel_json_string("kind", link.one->kind);
	codel_json_u64("rate", link.q.rate);
	if (used < 0)
		codel_json_null("used");
	else
		tc_json_real("used", used, 6);
	codel_json_uint("flows", link.q.link.flows);
	codel_json_u64("wire_bytes", link.q.link.link_bytes);
	codel_json_u64("slices", link.q.link.slices);
	codel_json_u64("waits", link.q.link.waits);
	codel_json_u64("wait_ns", link.q.link.wait_sum);
	qj_sum(&link);
	qj_verdict(&link.row);
	close_json_object();
}

static void qj_links(const struct cs_snapshot *before, const struct cs_snapshot *now)
{
	enum cs_kind kind;
	size_t i, queues;

	for (i = 0; i < now->n_qdiscs; i += cs_total_queues(now, i))
		for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++)
			if (cs_link(now, i, kind, &queues))
				qj_link(before, now, i, kind);
}

void cs_json(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now)
{
	struct cs_row row;
	size_t i;

	tc_json_begin(out);
	qdisc_json_time(before, now);
	open_json_array(PRINT_JSON, "qdiscs");
	for (i = 0; i < now->n_qdiscs; i++) {
		cs_row_fill(&row, before, now, i);
		qdisc_json(NULL, now, &row);
	}
	close_json_array(PRINT_JSON, NULL);
	open_json_array(PRINT_JSON, "devices");
	for (i = 0; i < now->n_qdiscs; i += cs_total_queues(now, i))
		if (cs_total_queues(now, i) > 1)
			qj_total(before, now, i);
	close_json_array(PRINT_JSON, NULL);
	open_json_array(PRINT_JSON, "links");
	qj_links(before, now);
	close_json_array(PRINT_JSON, NULL);
	tc_json_end();
}
