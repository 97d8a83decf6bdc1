// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Packets on all devices while requests are answered: bursts of many flows, IPv4 and IPv6, TCP
 * and UDP, ECN, VLAN tags, super-packets, priorities that name classes, and frames that are none of
 * these.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define ETH		14
#define VLAN		4
#define FRAME_MAX	20000
#define TCP_HEADERS	54

struct frame {
	struct virtio_net_hdr head;
	uint8_t bytes[FRAME_MAX];
} __attribute__((packed));

static uint16_t checksum(const uint8_t *at, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += at[i] << 8 | at[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

static void ipv4(uint8_t *ip, size_t len, uint8_t protocol, uint8_t ecn, uint16_t flow)
{
	uint16_t total = htons(len), sum;

	memcpy(ip, (uint8_t [20]){ 0x45, ecn, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0,
				   10, 0, 0, 1, 10, 0, 0, 2 }, 20);
	memcpy(ip + 2, &total, 2);
	sum = checksum(ip, 20);
	memcpy(ip + 10, &sum, 2);
	memcpy(ip + 20, &flow, 2);
	ip[22] = 0;
	ip[23] = 9;
	ip[32] = 5 << 4;
	ip[33] = 16;
}

static void ipv6(uint8_t *ip, size_t len, uint8_t protocol, uint8_t ecn, uint16_t flow)
{
	uint16_t payload = htons(len - 40);

	memset(ip, 0, 44);
	ip[0] = 0x60;
	ip[1] = ecn << 4;
	memcpy(ip + 4, &payload, 2);
	ip[6] = protocol;
	ip[7] = 64;
	ip[8] = ip[24] = 0xfd;
	ip[39] = 1;
	memcpy(ip + 40, &flow, 2);
}

/* Insert a VLAN tag into a frame. Return: the bytes that it takes. */
static size_t vlan_insert(uint8_t *frame, size_t len)
{
	uint8_t tag[VLAN] = { 0x81, 0, random_u32(), random_u32() };

	memmove(frame + ETH - 2 + VLAN, frame + ETH - 2, len - (ETH - 2));
	memcpy(frame + ETH - 2, tag, VLAN);
	return VLAN;
}

/* A frame. Return: its length. */
static size_t frame_make(struct frame *f)
{
	uint16_t type = htons(ETH_P_IP), flow = random_below(one_in(3) ? 400 : 6);
	uint8_t protocol = one_in(2) ? IPPROTO_TCP : IPPROTO_UDP, ecn = random_below(4);
	size_t len = one_in(3) ? 1500 : 60 + random_below(1000);

	memset(f, 0, sizeof(f->head) + ETH);
	if (one_in(6)) {
		protocol = IPPROTO_TCP;
		len = 3000 + random_below(15000);
		f->head = (struct virtio_net_hdr) {
			.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
			.hdr_len = TCP_HEADERS, .gso_size = 1448, .csum_start = 34, .csum_offset = 16,
		};
	} else if (one_in(4)) {
		type = htons(one_in(4) ? 0x88b5 : ETH_P_IPV6);
	}
	memcpy(f->bytes + ETH - 2, &type, 2);
	if (type == htons(ETH_P_IPV6))
		ipv6(f->bytes + ETH, len - ETH, protocol, ecn, flow);
	else
		ipv4(f->bytes + ETH, len - ETH, protocol, ecn, flow);
	if (!f->head.gso_type && one_in(8))
		len += vlan_insert(f->bytes, len);
	return sizeof(f->head) + len;
}

static int packet_socket(const char *dev)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(dev),
	};
	int on = 1, sock = socket(AF_PACKET, SOCK_RAW, 0);

	if (sock < 0 || bind(sock, (void *)&to, sizeof(to)) ||
	    setsockopt(sock, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on))) {
		perror("attack: packet socket");
		exit(2);
	}
	return sock;
}

static void burst(int sock)
{
	static struct frame frame;
	int prio = one_in(3) ? (int)(HANDLE | random_below(9)) : 0;
	unsigned int count = one_in(20) ? 200 : 1 + random_below(20);

	setsockopt(sock, SOL_SOCKET, SO_PRIORITY, &prio, sizeof(prio));
	while (count--)	/* a device that is down, or a queue that is full, refuses some */
		send(sock, &frame, frame_make(&frame), MSG_DONTWAIT);
}

/* Until the process is ended: a burst on one of the first devices, and a pause */
static void traffic(uint64_t seed, unsigned int devices, unsigned int pause_max)
{
	static const char *const names[] = { "d0", "d1", "d2" };
	int socks[ARRAY_SIZE(names)];

	random_seed(~seed);
	for (unsigned int i = 0; i < devices; i++)
		socks[i] = packet_socket(names[i]);
	for (;;) {
		burst(socks[random_below(devices)]);
		usleep(random_below(pause_max));
	}
}

/* Start a process that sends on the first devices. Between two bursts are @pause_max us at most. */
pid_t traffic_start(uint64_t seed, unsigned int devices, unsigned int pause_max)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		traffic(seed, devices, pause_max);
	}
	return child;
}

/* Return whether the process has sent until now. */
bool traffic_stop(pid_t child)
{
	bool ran = !waitpid(child, NULL, WNOHANG);

	if (ran) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return ran;
}
