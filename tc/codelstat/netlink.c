// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Snapshots of the running kernel: one dump of all qdiscs each. Names of devices are read
 * only after a notification of a change, and flows only of devices with a backlog.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "commands.h"
#include "raw.h"

#define CS_RECEIVE	(1 << 16)	/* the kernel fills up to 32 KiB at once */
#define CS_ATTEMPTS	20		/* at a list that changes while it is read */

/**
 * struct cs_netlink - a source of snapshots
 * @source: its interface
 * @filter: selects devices, qdiscs and flows
 * @socket: for dumps
 * @news: receives notifications of changed links
 * @seq: of the last request
 * @raw: the last snapshot
 * @links: all links by number, reduced to their names
 * @due: when the next snapshot is to be taken, ns
 */
struct cs_netlink {
	struct cs_source source;
	struct cs_filter filter;
	struct mnl_socket *socket;
	struct mnl_socket *news;
	uint32_t seq;
	struct cs_raw raw;
	struct cs_raw links;
	uint64_t due;
};

/* struct tcmsg has its device where struct ifinfomsg has its own number. */
static_assert(offsetof(struct tcmsg, tcm_ifindex) == offsetof(struct ifinfomsg, ifi_index));

static int cs_ifindex_of(const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);

	return mnl_nlmsg_get_payload_len(nlh) < sizeof(*info) ? 0 : info->ifi_index;
}

/* State of a dump */
enum cs_dump {
	CS_DUMP_MORE,
	CS_DUMP_DONE,
	CS_DUMP_AGAIN,	/* changed meanwhile, or something was lost */
	CS_DUMP_FAILED,	/* errno */
};

/* The number that both ends of a dump and errors begin with */
static enum cs_dump cs_dump_end(const struct nlmsghdr *nlh)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || !*err)
		return CS_DUMP_DONE;
	errno = *err < 0 ? -*err : *err;
	return CS_DUMP_FAILED;
}

/* Keep the answers to the request among the @n bytes behind the messages of @raw. */
static enum cs_dump cs_dump_keep(struct cs_raw *raw, size_t n, uint32_t seq, int ifindex,
				 bool *again)
{
	const struct nlmsghdr *nlh, *next = (void *)(raw->data + raw->len);
	int left = (int)n;

	while (mnl_nlmsg_ok(next, left)) {
		nlh = next;
		/* before it is moved, which may be onto itself */
		next = mnl_nlmsg_next(nlh, &left);
		if (nlh->nlmsg_seq != seq)
			continue;	/* of a dump that was given up */
		*again |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
		if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR)
			return cs_dump_end(nlh);
		if (ifindex && cs_ifindex_of(nlh) != ifindex)
			continue;
		n = (nlh->nlmsg_len + 3UL) & ~3UL;
		memmove(raw->data + raw->len, nlh, n);
		raw->len += n;
	}
	return CS_DUMP_MORE;
}

ssize_t cs_netlink_receive(int fd, void *data, size_t size, int flags)
{
	struct sockaddr_nl from = {};
	struct iovec to = { .iov_base = data, .iov_len = size };
	struct msghdr message = { .msg_name = &from, .msg_iov = &to, .msg_iovlen = 1 };
	ssize_t n;

	do {
		message.msg_namelen = sizeof(from);
		n = recvmsg(fd, &message, flags);
	} while (n >= 0 && (message.msg_namelen != sizeof(from) || from.nl_pid));
	if (n >= 0 && message.msg_flags & MSG_TRUNC) {
		errno = ENOSPC;
		return -1;
	}
	return n;
}

/* Receive until the dump has ended, whatever becomes of it. */
static enum cs_dump cs_dump_receive(struct cs_netlink *nl, struct cs_raw *raw, int ifindex)
{
	enum cs_dump state = CS_DUMP_MORE;
	bool again = false;
	ssize_t n;

	while (state == CS_DUMP_MORE) {
		if (!cs_raw_reserve(raw, CS_RECEIVE))
			return CS_DUMP_FAILED;
		n = cs_netlink_receive(mnl_socket_get_fd(nl->socket), raw->data + raw->len,
				       CS_RECEIVE, 0);
		if (n > 0)
			state = cs_dump_keep(raw, (size_t)n, nl->seq, ifindex, &again);
		else if (errno == ENOBUFS)
			again = true;
		else if (n == 0 || errno != EINTR)
			return CS_DUMP_FAILED;
	}
	return again && state == CS_DUMP_DONE ? CS_DUMP_AGAIN : state;
}

/**
 * cs_dump() - append a list of the kernel's
 * @nl: the source
 * @raw: where to
 * @type: RTM_GETQDISC, RTM_GETTCLASS or RTM_GETLINK
 * @ifindex: only this device, 0 for all; a dump of classes requires a device
 * @parent: only classes of this qdisc, 0 for all
 *
 * Return: 0, or -1 with errno
 */
static int cs_dump(struct cs_netlink *nl, struct cs_raw *raw, uint16_t type, int ifindex,
		   uint32_t parent)
{
	char buffer[NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct tcmsg)) + 64] = {};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	const size_t before = raw->len;
	int attempts = CS_ATTEMPTS;
	enum cs_dump state;
	struct tcmsg *tcm;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (type == RTM_GETLINK) {
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	} else {
		tcm = mnl_nlmsg_put_extra_header(nlh, sizeof(*tcm));
		tcm->tcm_ifindex = ifindex;
		tcm->tcm_parent = parent;
	}
	do {
		raw->len = before;
		nlh->nlmsg_seq = ++nl->seq;
		if (mnl_socket_sendto(nl->socket, nlh, nlh->nlmsg_len) < 0)
			return -1;
		state = cs_dump_receive(nl, raw, ifindex);
	} while (state == CS_DUMP_AGAIN && --attempts);
	if (state == CS_DUMP_AGAIN)
		errno = EINTR;
	return state == CS_DUMP_DONE ? 0 : -1;
}

/* NULL if this is no link, or has no name */
static const char *cs_link_name(const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *tb[IFLA_IFNAME + 1];

	if (nlh->nlmsg_type != RTM_NEWLINK || !cs_ifindex_of(nlh))
		return NULL;
	cs_attrs(tb, IFLA_IFNAME, info + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*info));
	if (!tb[IFLA_IFNAME] || mnl_attr_validate(tb[IFLA_IFNAME], MNL_TYPE_NUL_STRING) < 0)
		return NULL;
	return mnl_attr_get_str(tb[IFLA_IFNAME]);
}

/* A link without all that is not its name: it is kept in recordings. */
static int cs_links_add(struct cs_raw *links, const struct nlmsghdr *link)
{
	const char *name = cs_link_name(link);
	struct ifinfomsg *info;
	struct nlmsghdr *nlh;
	char *at;

	if (!name || strlen(name) >= IFNAMSIZ)
		return 0;
	at = cs_raw_reserve(links, 128);
	if (!at)
		return -1;
	nlh = mnl_nlmsg_put_header(at);
	nlh->nlmsg_type = RTM_NEWLINK;
	info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));
	info->ifi_index = cs_ifindex_of(link);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	links->len += nlh->nlmsg_len;
	return 0;
}

static int cs_links_read(struct cs_netlink *nl)
{
	struct cs_raw all = {};
	const struct nlmsghdr *nlh;
	int left, err;

	nl->links.len = 0;
	err = cs_dump(nl, &all, RTM_GETLINK, 0, 0);
	nlh = (void *)all.data;
	for (left = (int)all.len; !err && mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left))
		err = cs_links_add(&nl->links, nlh);
	free(all.data);
	return err;
}

/* Return whether any link has changed. */
static bool cs_links_changed(struct cs_netlink *nl)
{
	char buffer[1 << 13];
	bool changed = !nl->links.len;

	while (recv(mnl_socket_get_fd(nl->news), buffer, sizeof(buffer), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS || errno == EINTR)
		changed = true;
	return changed;
}

/* Number of the filter's device; 0 if it is not there */
static int cs_links_find(const struct cs_netlink *nl)
{
	const struct nlmsghdr *nlh = (void *)nl->links.data;
	int left;

	for (left = (int)nl->links.len; mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left))
		if (!strcmp(cs_link_name(nlh), nl->filter.dev))
			return cs_ifindex_of(nlh);
	return 0;
}

static int cs_append(struct cs_raw *to, const struct cs_raw *what)
{
	void *at = cs_raw_reserve(to, what->len);

	if (!at)
		return -1;
	if (what->len)
		memcpy(at, what->data, what->len);
	to->len += what->len;
	return 0;
}

static int cs_read_qdiscs(struct cs_netlink *nl, struct cs_snapshot *snapshot)
{
	int ifindex = 0;

	if (cs_links_changed(nl) && cs_links_read(nl))
		return -1;
	nl->raw.len = 0;
	if (nl->filter.dev)
		ifindex = cs_links_find(nl);
	if (!nl->filter.dev || ifindex)
		if (cs_dump(nl, &nl->raw, RTM_GETQDISC, ifindex, 0))
			return -1;
	if (cs_append(&nl->raw, &nl->links))
		return -1;
	nl->raw.monotonic = cs_now(CLOCK_MONOTONIC);
	nl->raw.realtime = cs_now(CLOCK_REALTIME);
	return cs_decode_qdiscs(snapshot, &nl->raw, &nl->filter);
}

/* A device, and the backlog of its flows */
struct cs_load {
	int ifindex;
	uint64_t backlog;
};

static int cs_compare_loads(const void *a, const void *b)
{
	const struct cs_load *x = a, *y = b;

	return (x->backlog < y->backlog) - (x->backlog > y->backlog);
}

/* The devices with flows, the fullest first; @loads has room for all */
static size_t cs_loads(struct cs_load *loads, const struct cs_snapshot *snapshot)
{
	const struct cs_qdisc *q = snapshot->qdiscs;
	size_t i, n = 0;

	for (i = 0; i < snapshot->n_qdiscs; i++, q++) {
		if (q->type != CS_FQ_CODEL || !q->active)
			continue;
		if (!n || loads[n - 1].ifindex != q->ifindex)
			loads[n++] = (struct cs_load) { .ifindex = q->ifindex };
		loads[n - 1].backlog += q->backlog;
	}
	qsort(loads, n, sizeof(*loads), cs_compare_loads);
	return n;
}

static int cs_read_flows(struct cs_netlink *nl, struct cs_snapshot *snapshot)
{
	struct cs_load *loads = calloc(snapshot->n_qdiscs + 1, sizeof(*loads));
	const size_t from = nl->raw.len;
	size_t i, n;
	int err = 0;

	if (!loads)
		return -1;
	n = cs_loads(loads, snapshot);
	if (nl->filter.flow_devs && n > nl->filter.flow_devs)
		n = nl->filter.flow_devs;
	for (i = 0; i < n && !err; i++)
		err = cs_dump(nl, &nl->raw, RTM_GETTCLASS, loads[i].ifindex,
			      nl->filter.handle);
	free(loads);
	return err ? err : cs_decode_flows(snapshot, &nl->raw, from, &nl->filter);
}

static int cs_netlink_next(struct cs_source *source, struct cs_snapshot *snapshot)
{
	struct cs_netlink *nl = (struct cs_netlink *)source;
	int err = cs_read_qdiscs(nl, snapshot);

	/* a device was added since the links were read */
	if (!err && snapshot->nameless) {
		nl->links.len = 0;
		err = cs_read_qdiscs(nl, snapshot);
	}
	if (!err && nl->filter.flows)
		err = cs_read_flows(nl, snapshot);
	if (!err)
		return 1;
	if (errno == EFBIG) {
		cs_error("there are more than %u qdiscs or %u flows; --dev shows one device",
			 CS_QDISCS_MAX, CS_FLOWS_MAX);
		return -1;
	}
	cs_error("reading the queues over netlink: %s", errno == EINTR ?
		 "the list changes faster than it can be read" : strerror(errno));
	return -1;
}

/* A fixed beat, so that the time of reading and showing does not add up */
static uint64_t cs_netlink_due(struct cs_source *source, double seconds)
{
	struct cs_netlink *nl = (struct cs_netlink *)source;
	const uint64_t now = cs_now(CLOCK_MONOTONIC);

	nl->due = (nl->due ? nl->due : nl->raw.monotonic) + (uint64_t)(seconds * 1e9);
	if (nl->due < now)
		nl->due = now;
	return nl->due;
}

static void cs_netlink_close(struct cs_source *source)
{
	struct cs_netlink *nl = (struct cs_netlink *)source;

	if (nl->socket)
		mnl_socket_close(nl->socket);
	if (nl->news)
		mnl_socket_close(nl->news);
	free(nl->raw.data);
	free(nl->links.data);
	free(nl);
}

/* A socket connected to the kernel drops messages of others, so they cannot fill its buffer. */
static struct mnl_socket *cs_netlink_socket(unsigned int groups)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);

	if (!socket)
		return NULL;
	if (mnl_socket_bind(socket, groups, MNL_SOCKET_AUTOPID) < 0 ||
	    connect(mnl_socket_get_fd(socket), (const void *)&kernel, sizeof(kernel))) {
		mnl_socket_close(socket);
		return NULL;
	}
	return socket;
}

struct cs_source *cs_netlink_open(const struct cs_filter *filter)
{
	struct cs_netlink *nl = calloc(1, sizeof(*nl));

	if (nl) {
		nl->source = (struct cs_source) {
			.next = cs_netlink_next,
			.due = cs_netlink_due,
			.close = cs_netlink_close,
		};
		nl->filter = *filter;
		nl->news = cs_netlink_socket(RTMGRP_LINK);
		nl->socket = cs_netlink_socket(0);
		if (nl->news && nl->socket)
			return &nl->source;
	}
	cs_error("opening netlink: %s", strerror(errno));
	if (nl)
		cs_netlink_close(&nl->source);
	return NULL;
}

const struct cs_raw *cs_netlink_raw(const struct cs_source *source)
{
	return &((const struct cs_netlink *)source)->raw;
}
