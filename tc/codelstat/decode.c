// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * From netlink messages to a snapshot. The messages are not trusted: an
 * attribute that is too short counts as absent; of a longer one, the known part is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "far.h"
#include "labels.h"
#include "link.h"
#include "raw.h"
#include "../codel_ext_stats.h"

/* As mnl_attr_for_each() goes, without a call for every step: most of the time of a dump of
 * a thousand qdiscs is spent here.
 */
void cs_attrs(const struct nlattr **tb, uint16_t max, const void *payload, size_t len)
{
	const struct nlattr *attr = payload;
	size_t size;

	memset(tb, 0, sizeof(*tb) * (max + 1U));
	while (len >= sizeof(*attr) && attr->nla_len >= sizeof(*attr) && attr->nla_len <= len) {
		if ((attr->nla_type & NLA_TYPE_MASK) <= max)
			tb[attr->nla_type & NLA_TYPE_MASK] = attr;
		size = (attr->nla_len + 3UL) & ~3UL;
		if (size >= len)
			break;
		len -= size;
		attr = (const void *)((const char *)attr + size);
	}
}

static void cs_nested(const struct nlattr **tb, uint16_t max, const struct nlattr *nest)
{
	if (nest)
		cs_attrs(tb, max, mnl_attr_get_payload(nest),
			 mnl_attr_get_payload_len(nest));
	else
		memset(tb, 0, sizeof(*tb) * (max + 1U));
}

size_t cs_copy(void *to, size_t size, const struct nlattr *attr)
{
	size_t given = attr ? mnl_attr_get_payload_len(attr) : 0;

	memset(to, 0, size);
	if (given)
		memcpy(to, mnl_attr_get_payload(attr), given < size ? given : size);
	return given;
}

static bool cs_u32(uint32_t *value, const struct nlattr *attr)
{
	uint32_t got;

	if (cs_copy(&got, sizeof(got), attr) < sizeof(got))
		return false;
	*value = got;
	return true;
}

static void cs_us(uint64_t *ns, const struct nlattr *attr)
{
	uint32_t us;

	if (cs_u32(&us, attr))
		*ns = us * CS_NS_PER_US;
}

static void cs_u64(uint64_t *value, const struct nlattr *attr)
{
	uint64_t got;

	if (cs_copy(&got, sizeof(got), attr) >= sizeof(got))
		*value = got;
}

void cs_word(char *to, size_t size, const struct nlattr *attr)
{
	memset(to, 0, size);
	cs_copy(to, size - 1, attr);
}

/* Names are written to terminals and into JSON, and may have any bytes. Those that could do
 * harm there are escaped as in a URL (%22), so that different names stay different.
 */
void cs_clean_name(char to[CS_NAME_MAX], const char *name)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned char byte;
	size_t i;

	for (i = 0; i < IFNAMSIZ - 1 && name[i]; i++) {
		byte = (unsigned char)name[i];
		/* strchr() would be half of the cost */
		if (byte > ' ' && byte <= '~' && byte != '"' && byte != '\\' && byte != '%') {
			*to++ = name[i];
			continue;
		}
		*to++ = '%';
		*to++ = digits[byte >> 4];
		*to++ = digits[byte & 15];
	}
	*to = '\0';
}

static void cs_codel_options(struct cs_qdisc *q, const struct nlattr **tb)
{
	cs_us(&q->target, tb[TCA_CODEL_TARGET]);
	cs_us(&q->interval, tb[TCA_CODEL_INTERVAL]);
	cs_us(&q->ce_threshold, tb[TCA_CODEL_CE_THRESHOLD]);
	cs_u32(&q->limit, tb[TCA_CODEL_LIMIT]);
}

static void cs_fq_codel_options(struct cs_qdisc *q, const struct nlattr **tb)
{
	cs_us(&q->target, tb[TCA_FQ_CODEL_TARGET]);
	cs_us(&q->interval, tb[TCA_FQ_CODEL_INTERVAL]);
	cs_us(&q->ce_threshold, tb[TCA_FQ_CODEL_CE_THRESHOLD]);
	cs_u32(&q->limit, tb[TCA_FQ_CODEL_LIMIT]);
	cs_u32(&q->flows, tb[TCA_FQ_CODEL_FLOWS]);
	cs_u32(&q->memory_limit, tb[TCA_FQ_CODEL_MEMORY_LIMIT]);
}

/* Returns whether only the out-of-tree module sends such options. Under a plain name, it sends those
 * that the in-tree module sends until it is asked for others.
 */
static bool cs_options(struct cs_qdisc *q, const struct nlattr *options)
{
	const struct nlattr *tb[TCA_CODEL_EXT + 1], *ext[TCA_CODEL_EXT_MAX + 1];
	uint32_t ecn = 0;

	cs_nested(tb, TCA_CODEL_EXT, options);
	cs_nested(ext, TCA_CODEL_EXT_MAX, tb[TCA_CODEL_EXT]);
	q->ce_threshold = UINT64_MAX;
	q->ceiling = UINT64_MAX;
	q->rate = UINT64_MAX;
	cs_us(&q->ceiling, ext[TCA_CODEL_EXT_CEILING]);
	cs_u64(&q->rate, ext[TCA_CODEL_EXT_RATE]);
	cs_u32(&q->target_effective, ext[TCA_CODEL_EXT_TARGET_EFFECTIVE]);
	cs_u32(&q->interval_effective, ext[TCA_CODEL_EXT_INTERVAL_EFFECTIVE]);
	if (q->type == CS_CODEL)
		cs_codel_options(q, tb);
	else
		cs_fq_codel_options(q, tb);
	/* the same number in both */
	cs_u32(&ecn, tb[TCA_CODEL_ECN]);
	q->ecn = ecn;
	return tb[TCA_CODEL_EXT];
}

/* Read the extended statistics at @offset, which both kinds have, and the histogram behind
 * them. Reject all of them if a part is invalid: wrong numbers would not look wrong.
 */
static bool cs_ext_stats(struct cs_snapshot *snapshot, struct cs_qdisc *q,
			 const struct nlattr *app, size_t offset)
{
	const size_t given = app ? mnl_attr_get_payload_len(app) : 0;
	struct codel_ext_stats *stats = &q->ext_stats;
	const unsigned char *at;
	size_t len, bytes;

	if (given < offset + CODEL_EXT_STATS_MIN)
		return false;
	at = (const unsigned char *)mnl_attr_get_payload(app) + offset;
	len = given - offset;
	memcpy(stats, at, len < sizeof(*stats) ? len : sizeof(*stats));
	if (!codel_ext_stats_has_wire(stats))
		stats->wire_bytes = 0;
	bytes = stats->delay_count * sizeof(*q->delay);
	if (stats->delay_offset < CODEL_EXT_STATS_MIN || stats->delay_offset > len ||
	    bytes > len - stats->delay_offset ||
	    stats->delay_first + stats->delay_count > CODEL_DELAY_BUCKETS) {
		memset(stats, 0, sizeof(*stats));
		return false;
	}
	cs_link_read(q, at, len);
	cs_far_read(snapshot, q, at, len);
	snapshot->links |= q->link.queues;
	q->delay = cs_snapshot_add_delay(snapshot, at + stats->delay_offset,
					 stats->delay_count);
	return true;
}

static void cs_codel_stats(struct cs_snapshot *snapshot, struct cs_qdisc *q,
			   const struct nlattr *app)
{
	struct tc_codel_xstats st;

	cs_copy(&st, sizeof(st), app);
	q->maxpacket = st.maxpacket;
	q->ldelay = st.ldelay;
	q->dropping = st.dropping;
	q->drop_overlimit = st.drop_overlimit;
	q->ecn_mark = st.ecn_mark;
	q->ce_mark = st.ce_mark;
	q->oot = cs_ext_stats(snapshot, q, app, offsetof(struct codel_xstats, ext));
}

static void cs_fq_codel_stats(struct cs_snapshot *snapshot, struct cs_qdisc *q,
			      const struct nlattr *app)
{
	struct codel_fq_xstats st;
	const struct tc_fq_codel_qd_stats *qd = &st.common.qdisc_stats;

	cs_copy(&st, sizeof(st), app);
	if (st.common.type != TCA_FQ_CODEL_XSTATS_QDISC)
		return;
	q->maxpacket = qd->maxpacket;
	q->drop_overlimit = qd->drop_overlimit;
	q->drop_overmemory = qd->drop_overmemory;
	q->ecn_mark = qd->ecn_mark;
	q->ce_mark = qd->ce_mark;
	q->new_flow_count = qd->new_flow_count;
	q->active = qd->new_flows_len + qd->old_flows_len;
	q->memory = qd->memory_usage;
	q->oot = cs_ext_stats(snapshot, q, app, offsetof(struct codel_fq_xstats, ext));
	if (q->oot)
		q->collisions = st.shared;
}

static void cs_common_stats(struct cs_qdisc *q, const struct nlattr **tb)
{
	struct gnet_stats_queue queue;
	struct gnet_stats_basic basic;
	uint64_t packets;

	cs_copy(&basic, sizeof(basic), tb[TCA_STATS_BASIC]);
	q->bytes = basic.bytes;
	q->packets = basic.packets;
	/* there only if 32 bits do not suffice */
	if (cs_copy(&packets, sizeof(packets), tb[TCA_STATS_PKT64]) >= sizeof(packets))
		q->packets = packets;

	cs_copy(&queue, sizeof(queue), tb[TCA_STATS_QUEUE]);
	q->qlen = queue.qlen;
	q->backlog = queue.backlog;
	q->drops = queue.drops;
	q->overlimits = queue.overlimits;
}

static enum cs_kind cs_kind_of(const char *kind)
{
	if (!strcmp(kind, "codel") || !strcmp(kind, "codel_oot"))
		return CS_CODEL;
	if (!strcmp(kind, "fq_codel") || !strcmp(kind, "fq_codel_oot"))
		return CS_FQ_CODEL;
	return CS_OTHER;
}

static size_t cs_offset(const struct cs_snapshot *snapshot, const struct nlmsghdr *nlh)
{
	return (size_t)((const unsigned char *)nlh - snapshot->raw->data);
}

/* A qdisc of another kind may be the parent of others. */
static int cs_decode_qdisc(struct cs_snapshot *snapshot, const struct cs_filter *filter,
			   const struct nlmsghdr *nlh, struct cs_labels *kinds)
{
	const struct nlattr *tb[TCA_STATS2 + 1], *stats[TCA_STATS_PKT64 + 1];
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	char kind[CS_KIND_MAX];
	struct cs_qdisc *q;
	enum cs_kind type;

	cs_attrs(tb, TCA_STATS2, tcm + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*tcm));
	cs_word(kind, sizeof(kind), tb[TCA_KIND]);
	type = cs_kind_of(kind);
	if (type == CS_OTHER)
		return cs_labels_add(kinds, tcm->tcm_ifindex, tcm->tcm_handle,
				     tcm->tcm_parent, kind);
	if (filter->handle && tcm->tcm_handle != filter->handle)
		return 0;

	q = cs_snapshot_add_qdisc(snapshot);
	if (!q)
		return -1;
	q->message = cs_offset(snapshot, nlh);
	q->ifindex = tcm->tcm_ifindex;
	q->handle = tcm->tcm_handle;
	q->parent = tcm->tcm_parent;
	q->type = type;
	memcpy(q->kind, kind, sizeof(q->kind));
	q->out_of_tree = cs_options(q, tb[TCA_OPTIONS]);
	cs_nested(stats, TCA_STATS_PKT64, tb[TCA_STATS2]);
	cs_common_stats(q, stats);
	if (type == CS_CODEL)
		cs_codel_stats(snapshot, q, stats[TCA_STATS_APP]);
	else
		cs_fq_codel_stats(snapshot, q, stats[TCA_STATS_APP]);
	q->out_of_tree |= q->oot;
	return 0;
}

static int cs_decode_link(const struct nlmsghdr *nlh, struct cs_labels *links)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *tb[IFLA_IFNAME + 1];
	char name[IFNAMSIZ];

	cs_attrs(tb, IFLA_IFNAME, info + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*info));
	cs_word(name, sizeof(name), tb[IFLA_IFNAME]);
	if (!*name)
		return 0;
	return cs_labels_add(links, info->ifi_index, 0, 0, name);
}

static int cs_decode_flow(struct cs_snapshot *snapshot, const struct cs_filter *filter,
			  const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[TCA_STATS2 + 1], *stats[TCA_STATS_PKT64 + 1];
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	struct codel_fq_class_xstats st;
	struct gnet_stats_queue queue;
	char kind[CS_KIND_MAX];
	struct cs_flow *flow;
	size_t given;

	cs_attrs(tb, TCA_STATS2, tcm + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*tcm));
	cs_word(kind, sizeof(kind), tb[TCA_KIND]);
	if (cs_kind_of(kind) != CS_FQ_CODEL ||
	    (filter->handle && TC_H_MAJ(tcm->tcm_handle) != filter->handle))
		return 0;
	cs_nested(stats, TCA_STATS_PKT64, tb[TCA_STATS2]);
	given = cs_copy(&st, sizeof(st), stats[TCA_STATS_APP]);
	if (!given || st.common.type != TCA_FQ_CODEL_XSTATS_CLASS)
		return 0;

	flow = cs_snapshot_add_flow(snapshot);
	if (!flow)
		return -1;
	cs_copy(&queue, sizeof(queue), stats[TCA_STATS_QUEUE]);
	flow->message = cs_offset(snapshot, nlh);
	flow->ifindex = tcm->tcm_ifindex;
	flow->classid = tcm->tcm_handle;
	flow->backlog = queue.backlog;
	flow->qlen = queue.qlen;
	flow->ldelay = st.common.class_stats.ldelay;
	flow->count = st.common.class_stats.count;
	flow->dropping = st.common.class_stats.dropping;
	flow->known = given >= sizeof(st);
	if (flow->known)
		flow->stats = st.flow;
	return 0;
}

bool cs_is(const struct nlmsghdr *nlh, uint16_t type, size_t size)
{
	return nlh->nlmsg_type == type && mnl_nlmsg_get_payload_len(nlh) >= size;
}

const struct nlmsghdr *cs_message(const struct cs_raw *raw, size_t *from)
{
	const void *at = raw->data + *from;
	const struct nlmsghdr *nlh = at;
	size_t left = raw->len - *from;

	errno = 0;
	if (*from >= raw->len)
		return NULL;
	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > left) {
		errno = EBADMSG;
		return NULL;
	}
	*from += (nlh->nlmsg_len + 3UL) & ~3UL;
	return nlh;
}

/* Kinds of parents: a class names its qdisc by handle, one of a default qdisc (0) its root. */
static void cs_place(struct cs_qdisc *q, const struct cs_labels *kinds)
{
	const struct cs_label *above = NULL;

	if (q->parent != TC_H_ROOT)
		above = cs_labels_find(kinds, q->ifindex, TC_H_MAJ(q->parent));
	if (above)
		cs_clean_name(q->above, above->text);
	cs_labels_place(q->place, kinds, q->ifindex, q->parent);
}

/* Names are known once all messages were read. */
static void cs_name_all(struct cs_snapshot *snapshot, const struct cs_filter *filter,
			struct cs_labels *links, struct cs_labels *kinds)
{
	struct cs_qdisc *q, *kept = snapshot->qdiscs;
	const struct cs_label *link;
	size_t i;

	cs_labels_sort(links);
	cs_labels_sort(kinds);
	for (i = 0; i < links->n; i++)
		snapshot->dev_known |= filter->dev &&
				       !strcmp(filter->dev, links->label[i].text);
	for (i = 0; i < snapshot->n_qdiscs; i++) {
		q = &snapshot->qdiscs[i];
		link = cs_labels_find(links, q->ifindex, 0);
		if (filter->dev && (!link || strcmp(link->text, filter->dev)))
			continue;
		snapshot->nameless |= !link;
		if (link)
			cs_clean_name(q->dev, link->text);
		else
			snprintf(q->dev, sizeof(q->dev), "if%d", q->ifindex);
		cs_place(q, kinds);
		if (kept != q)
			*kept = *q;
		kept++;
	}
	snapshot->n_qdiscs = (size_t)(kept - snapshot->qdiscs);
}

int cs_decode_qdiscs(struct cs_snapshot *snapshot, const struct cs_raw *raw,
		     const struct cs_filter *filter)
{
	struct cs_labels links = {}, kinds = {};
	const struct nlmsghdr *nlh;
	size_t at = 0;
	int err = 0;

	/* histograms are parts of messages that do not overlap: they fit into as much memory */
	if (cs_snapshot_begin(snapshot, raw->len))
		return -1;
	snapshot->dev_known = false;
	snapshot->nameless = false;
	snapshot->links = false;
	snapshot->raw = raw;
	snapshot->monotonic = raw->monotonic;
	snapshot->realtime = raw->realtime;
	while (!err && (nlh = cs_message(raw, &at))) {
		if (cs_is(nlh, RTM_NEWQDISC, sizeof(struct tcmsg)))
			err = cs_decode_qdisc(snapshot, filter, nlh, &kinds);
		else if (cs_is(nlh, RTM_NEWLINK, sizeof(struct ifinfomsg)))
			err = cs_decode_link(nlh, &links);
	}
	if (!err && errno)
		err = -1;
	if (!err) {
		cs_name_all(snapshot, filter, &links, &kinds);
		cs_snapshot_sort(snapshot);
	}
	free(links.label);
	free(kinds.label);
	return err;
}

/* Those of a device that is shown, if only one is */
static bool cs_is_shown(const struct cs_snapshot *snapshot, const struct cs_filter *filter,
			const struct nlmsghdr *nlh)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);

	return !filter->dev || (snapshot->n_qdiscs &&
				tcm->tcm_ifindex == snapshot->qdiscs->ifindex);
}

int cs_decode_flows(struct cs_snapshot *snapshot, const struct cs_raw *raw, size_t from,
		    const struct cs_filter *filter)
{
	const struct nlmsghdr *nlh;

	while ((nlh = cs_message(raw, &from))) {
		if (!cs_is(nlh, RTM_NEWTCLASS, sizeof(struct tcmsg)) ||
		    !cs_is_shown(snapshot, filter, nlh))
			continue;
		if (cs_decode_flow(snapshot, filter, nlh))
			return -1;
	}
	if (errno)
		return -1;
	cs_snapshot_sort(snapshot);
	return 0;
}

int cs_decode(struct cs_snapshot *snapshot, const struct cs_raw *raw,
	      const struct cs_filter *filter)
{
	if (cs_decode_qdiscs(snapshot, raw, filter))
		return -1;
	return filter->flows ? cs_decode_flows(snapshot, raw, 0, filter) : 0;
}

void *cs_raw_reserve(struct cs_raw *raw, size_t more)
{
	size_t room = raw->room ? raw->room : 1 << 16;
	unsigned char *data;

	while (room - raw->len < more)
		room *= 2;
	if (room != raw->room) {
		data = realloc(raw->data, room);
		if (!data)
			return NULL;
		raw->data = data;
		raw->room = room;
	}
	return raw->data + raw->len;
}
