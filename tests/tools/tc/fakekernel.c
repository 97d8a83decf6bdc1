// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Stands between tc and the kernel (LD_PRELOAD), so that a real tc can be
 * tested where no qdisc can be added. The attributes of a request that adds
 * or changes a qdisc end in the file FAKE_STATE, and each dump of qdiscs or
 * classes shows one object with the attributes in that file. FAKE_IN_TREE is
 * the file that says that the in-tree qdiscs serve the plain names, as the end
 * of its path; without it they do not. Everything else is the kernel's business.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#define FAKE_MAX 32768

static struct {
	int fd;
	size_t len;
	char data[FAKE_MAX] __attribute__((aligned(4)));
} reply = { .fd = -1 };

static void *fake_next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/* What the plugins read to know who serves a name */
FILE *fopen(const char *path, const char *mode)
{
	static char said[] = "live N kernel/net/sched/sch_codel.ko /sch_fq_codel.ko\n";
	FILE *(*real)(const char *, const char *) = fake_next("fopen");
	const char *which = getenv("FAKE_IN_TREE");
	const char *end;

	if (!strncmp(path, "/sys/module/sch_", 16) || strstr(path, "/modules.builtin")) {
		end = strrchr(path, '/') + 1;
		return which && !strcmp(end, which) ? fmemopen(said, strlen(said), "r") : NULL;
	}
	return real(path, mode);
}

static int fake_open(int flags)
{
	const char *path = getenv("FAKE_STATE");
	int fd = path ? open(path, flags, 0600) : -1;

	if (fd < 0) {
		perror("FAKE_STATE");
		abort();
	}
	return fd;
}

static struct nlmsghdr *fake_message(const struct nlmsghdr *request,
				     unsigned short type, unsigned int payload)
{
	struct nlmsghdr *n = (void *)(reply.data + reply.len);
	struct sockaddr_nl self = { 0 };
	socklen_t len = sizeof(self);

	getsockname(reply.fd, (struct sockaddr *)&self, &len);
	memset(n, 0, NLMSG_SPACE(payload));
	n->nlmsg_len = NLMSG_LENGTH(payload);
	n->nlmsg_type = type;
	n->nlmsg_seq = request->nlmsg_seq;
	n->nlmsg_pid = self.nl_pid;
	reply.len += NLMSG_SPACE(payload);
	return n;
}

static void fake_store(const struct nlmsghdr *request)
{
	const size_t head = NLMSG_SPACE(sizeof(struct tcmsg));
	int fd = fake_open(O_WRONLY | O_CREAT | O_TRUNC);
	const size_t len = request->nlmsg_len - head;

	if (write(fd, (const char *)request + head, len) != (ssize_t)len)
		abort();
	close(fd);
	fake_message(request, NLMSG_ERROR, sizeof(struct nlmsgerr));
}

static void fake_dump(const struct nlmsghdr *request, unsigned short type)
{
	const struct tcmsg *asked = NLMSG_DATA(request);
	static char state[FAKE_MAX / 2];
	struct nlmsghdr *n;
	struct tcmsg *t;
	ssize_t len;
	int fd;

	fd = fake_open(O_RDONLY);
	len = read(fd, state, sizeof(state));
	close(fd);
	if (len < 0)
		abort();

	n = fake_message(request, type,
			 NLMSG_ALIGN(sizeof(*t)) + (unsigned int)len);
	n->nlmsg_flags = NLM_F_MULTI;
	t = NLMSG_DATA(n);
	t->tcm_ifindex = asked->tcm_ifindex ? asked->tcm_ifindex : 1;
	t->tcm_handle = type == RTM_NEWQDISC ? 0x80010000 : 0x80010001;
	t->tcm_parent = type == RTM_NEWQDISC ? TC_H_ROOT : 0x80010000;
	memcpy((char *)t + NLMSG_ALIGN(sizeof(*t)), state, (size_t)len);

	n = fake_message(request, NLMSG_DONE, sizeof(int));
	n->nlmsg_flags = NLM_F_MULTI;
}

/* 1 if this library answers the request, and the answer waits */
static int fake_request(int fd, const struct nlmsghdr *n, size_t len)
{
	if (len < NLMSG_SPACE(sizeof(struct tcmsg)))
		return 0;
	reply.fd = fd;
	reply.len = 0;
	if (n->nlmsg_type == RTM_NEWQDISC)
		fake_store(n);
	else if (n->nlmsg_type == RTM_GETQDISC)
		fake_dump(n, RTM_NEWQDISC);
	else if (n->nlmsg_type == RTM_GETTCLASS)
		fake_dump(n, RTM_NEWTCLASS);
	return reply.len != 0;
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	ssize_t (*next)(int, const void *, size_t, int) = fake_next("send");

	return fake_request(fd, buf, len) ? (ssize_t)len :
					    next(fd, buf, len, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	ssize_t (*next)(int, const struct msghdr *, int) = fake_next("sendmsg");
	static char flat[FAKE_MAX] __attribute__((aligned(4)));
	size_t len = 0;
	size_t i;

	for (i = 0; i < msg->msg_iovlen; i++) {
		if (msg->msg_iov[i].iov_len > sizeof(flat) - len)
			abort();
		memcpy(flat + len, msg->msg_iov[i].iov_base,
		       msg->msg_iov[i].iov_len);
		len += msg->msg_iov[i].iov_len;
	}
	return fake_request(fd, (void *)flat, len) ? (ssize_t)len :
						     next(fd, msg, flags);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t (*next)(int, struct msghdr *, int) = fake_next("recvmsg");
	const ssize_t len = (ssize_t)reply.len;
	size_t room;

	if (!reply.len || fd != reply.fd)
		return next(fd, msg, flags);

	room = msg->msg_iovlen ? msg->msg_iov[0].iov_len : 0;
	if (room)
		memcpy(msg->msg_iov[0].iov_base, reply.data,
		       room < reply.len ? room : reply.len);
	if (msg->msg_name) {
		memset(msg->msg_name, 0, msg->msg_namelen);
		((struct sockaddr_nl *)msg->msg_name)->nl_family = AF_NETLINK;
	}
	msg->msg_flags = room < reply.len ? MSG_TRUNC : 0;
	if (!(flags & MSG_PEEK))
		reply.len = 0;
	return len;
}
