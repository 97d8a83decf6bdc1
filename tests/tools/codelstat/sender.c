// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Messages of other senders than the kernel are discarded. Prints KTAP. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "../../algorithm/unit/ktap.h"
#include "commands.h"
#include "raw.h"

void cs_error(const char *format, ...)
{
	ktap_note("%s", format);
}

static struct sockaddr_nl bound(int fd)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	socklen_t length = sizeof(address);

	if (bind(fd, (void *)&address, sizeof(address)) ||
	    getsockname(fd, (void *)&address, &length))
		ktap_note("netlink: %s", strerror(errno));
	return address;
}

/* NETLINK_USERSOCK is for messages between processes: no privilege is needed. */
static void another_process(void)
{
	int victim = socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
	int other = socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
	const struct sockaddr_nl to = bound(victim);
	char data[64];
	int i, sent = 0;

	bound(other);
	for (i = 0; i < 3; i++)
		sent += sendto(other, "forged", 6, 0, (const void *)&to, sizeof(to)) == 6;
	ktap_result(sent == 3 && recv(victim, data, sizeof(data), MSG_PEEK) == 6,
		    "another process can send");
	ktap_result(cs_netlink_receive(victim, data, sizeof(data), MSG_DONTWAIT) < 0 &&
		    errno == EAGAIN, "its messages are discarded");
	close(other);
	close(victim);
}

static void the_kernel(void)
{
	const struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
	} request = {
		.nlh = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char data[1 << 15];

	ktap_result(send(fd, &request, sizeof(request), 0) == sizeof(request) &&
		    cs_netlink_receive(fd, data, sizeof(data), 0) > (ssize_t)sizeof(request),
		    "the kernel's are received");
	send(fd, &request, sizeof(request), 0);
	ktap_result(cs_netlink_receive(fd, data, 16, 0) < 0 && errno == ENOSPC,
		    "one that does not fit is an error");
	close(fd);
}

int main(void)
{
	ktap_plan(4, false);
	another_process();
	the_kernel();
	return ktap_status();
}
