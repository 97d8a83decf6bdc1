// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Life cycles: a namespace with a device, where a qdisc is added, changed, replaced, replaced by
 * the other kind and deleted, while another process sends. Every second cycle deletes the device
 * with packets in the queue. The namespace goes in the end: not before, because a packet that
 * waits holds its socket, and that the namespace.
 */
#include <errno.h>
#include <linux/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../uapi/codel_uapi.h"
#include "attack.h"

#define RATE		200000	/* bytes/s: packets wait */
#define PAUSE_MAX	300	/* us between bursts */

static unsigned long changed, refused, faults;
static uint32_t handle;

static void expect(const char *what, struct message *m)
{
	int answer = talk(m);

	if (!answer)
		return;
	printf("fault: %s: answer %d\n", what, answer);
	faults++;
}

static void device_create(void)
{
	struct message m;
	struct ifinfomsg *info = (void *)message_begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	size_t nest;

	m.head.nlmsg_len = NLMSG_LENGTH(sizeof(*info));
	*info = (struct ifinfomsg) {
		.ifi_flags = IFF_UP | IFF_NOARP, .ifi_change = IFF_UP | IFF_NOARP,
	};
	message_string(&m, IFLA_IFNAME, "d0");
	nest = message_nest(&m, IFLA_LINKINFO);
	message_string(&m, IFLA_INFO_KIND, "dummy");
	message_end(&m, nest);
	expect("device", &m);
}

static void device_delete(const struct place *at)
{
	struct message m;
	struct ifinfomsg *info = (void *)message_begin(&m, RTM_DELLINK, 0);

	m.head.nlmsg_len = NLMSG_LENGTH(sizeof(*info));
	*info = (struct ifinfomsg) { .ifi_index = at->index };
	expect("delete the device", &m);
}

static struct tcmsg *root(struct message *m, const struct place *at, uint16_t type, uint16_t flags)
{
	struct tcmsg *t = place_begin(m, at, type, flags);

	t->tcm_handle = handle;
	return t;
}

/* A rate keeps packets in the queue. It needs another ceiling than a change may have set. */
static void with_rate(struct message *m, const char *kind)
{
	size_t nest, ext;

	message_string(m, TCA_KIND, kind);
	nest = message_nest(m, TCA_OPTIONS);
	ext = message_nest(m, TCA_CODEL_EXT | NLA_F_NESTED);
	message_u64(m, TCA_CODEL_EXT_RATE, RATE);
	message_put(m, TCA_CODEL_EXT_CEILING_OFF, NULL, 0);
	message_end(m, ext);
	message_end(m, nest);
}

static void put(const char *what, const struct place *at, const char *kind, uint16_t flags)
{
	struct message m;

	root(&m, at, RTM_NEWQDISC, NLM_F_CREATE | flags);
	with_rate(&m, kind);
	expect(what, &m);
	usleep(random_below(400));
}

/* Any change, which may be refused */
static void change(const struct place *at, const char *kind)
{
	struct message m;

	root(&m, at, RTM_NEWQDISC, 0);
	message_string(&m, TCA_KIND, kind);
	options_put(&m, kind);
	if (talk(&m))
		refused++;
	else
		changed++;
	usleep(random_below(400));
}

static void classify(const struct place *at)
{
	struct message m;

	filter_add(&m, at);
	talk(&m);
	usleep(random_below(400));
}

static void life(const struct place *at)
{
	const char *const first = one_in(2) ? "codel_oot" : "fq_codel_oot";
	const char *const other = *first == 'f' ? "codel_oot" : "fq_codel_oot";
	struct message m;

	handle = HANDLE;
	put("add", at, first, NLM_F_EXCL);
	change(at, first);
	if (*first == 'f')
		classify(at);
	put("replace", at, first, NLM_F_REPLACE);
	/* another kind takes the place of the first only with another handle */
	handle = HANDLE << 1;
	put("replace by the other kind", at, other, NLM_F_REPLACE);
	change(at, other);
	if (one_in(2)) {
		device_delete(at);
		return;
	}
	root(&m, at, RTM_DELQDISC, 0);
	expect("delete", &m);
}

static void cycle(void)
{
	const struct place *at;
	pid_t child;

	if (unshare(CLONE_NEWNET)) {
		perror("attack: unshare");
		exit(2);
	}
	talk_open();
	device_create();
	at = place_only("d0");
	child = traffic_start(random_u32(), 1, PAUSE_MAX);
	life(at);
	traffic_stop(child);
	talk_close();
}

/* Return: 0 if all that has to succeed did. */
int churn(uint64_t seed, unsigned long count)
{
	random_seed(seed);
	for (unsigned long i = 1; i <= count && faults < 20; i++) {
		cycle();
		/* Namespaces are removed later, by another thread */
		if (i % 50 == 0)
			sleep(1);
	}
	printf("cycles;0;%lu\nchanges;0;%lu\nchanges;refused;%lu\n", count, changed, refused);
	return !!faults;
}
