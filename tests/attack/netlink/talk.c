// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The kernel's answers. A request is answered by an errno, or by a dump, which ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "attack.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK	270
#endif

static uint8_t buffer[1 << 18];
static uint32_t sequence;
static int sock;

void talk_open(void)
{
	struct timeval patience = { .tv_sec = 20 };
	int on = 1, size = 8 << 20;

	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (sock < 0 ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(sock, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on))) {
		perror("attack: netlink");
		exit(2);
	}
}

void talk_close(void)
{
	close(sock);
}

/*
 * Read one datagram. The first message of an object is kept in @state if that is not NULL.
 * Return: the errno, or 0 at the end of a dump; below 0 if more follows.
 */
static int take(size_t len, struct state *state)
{
	const struct nlmsghdr *n = (const void *)buffer;

	for (; NLMSG_OK(n, len); n = NLMSG_NEXT(n, len)) {
		if (n->nlmsg_seq != sequence)
			continue;
		if (n->nlmsg_type == NLMSG_ERROR)
			return -*(const int *)NLMSG_DATA(n);
		if (n->nlmsg_type == NLMSG_DONE)
			return n->nlmsg_len >= NLMSG_LENGTH(4) ? -*(const int *)NLMSG_DATA(n) : 0;
		if (state && !state->len && n->nlmsg_len <= sizeof(state->bytes)) {
			state->len = n->nlmsg_len;
			memcpy(state->bytes, n, n->nlmsg_len);
		}
	}
	return -1;
}

static int talk_keep(struct message *m, struct state *state)
{
	m->head.nlmsg_seq = ++sequence;
	if (send(sock, m, m->head.nlmsg_len, 0) < 0)
		return errno;
	for (;;) {
		ssize_t len = recv(sock, buffer, sizeof(buffer), 0);
		int error;

		if (len < 0)
			return errno == EAGAIN ? ANSWER_NONE : errno;
		error = take(len, state);
		if (error >= 0)
			return error;
	}
}

/* Send a request. Return: the errno of the answer. */
int talk(struct message *m)
{
	return talk_keep(m, NULL);
}

/*
 * Read kind and options of the qdisc at a place. The object of a request that is no dump is sent
 * to listeners only, and to the sender with NLM_F_ECHO. Return whether there is one of these kinds.
 */
bool state_read(const struct place *at, struct state *state)
{
	const struct nlattr *kind, *options;
	struct state answer = { .len = 0 };
	struct message m;
	const size_t head = NLMSG_LENGTH(sizeof(struct tcmsg));

	place_begin(&m, at, RTM_GETQDISC, NLM_F_ECHO);
	state->len = 0;
	if (talk_keep(&m, &answer) || answer.len < head)
		return false;
	kind = attribute(answer.bytes + head, answer.len - head, TCA_KIND);
	options = attribute(answer.bytes + head, answer.len - head, TCA_OPTIONS);
	if (!kind || !options || !strstr((const char *)kind + NLA_HDRLEN, "codel_oot"))
		return false;
	memcpy(state->bytes, kind, NLA_ALIGN(kind->nla_len));
	memcpy(state->bytes + NLA_ALIGN(kind->nla_len), options, options->nla_len);
	state->len = NLA_ALIGN(kind->nla_len) + options->nla_len;
	return true;
}
