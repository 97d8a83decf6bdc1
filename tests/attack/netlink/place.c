// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A qdisc is attacked as a root, below htb, and below tbf, which peeks. */
#include <net/if.h>
#include <stdio.h>

#include "attack.h"

static struct place places[] = {
	{ .dev = "d0", .parent = TC_H_ROOT },
	{ .dev = "d1", .parent = 0x10001 },
	{ .dev = "d2", .parent = 0x10001 },
};

/* Return whether all devices exist. */
bool places_find(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		places[i].index = if_nametoindex(places[i].dev);
		if (!places[i].index) {
			fprintf(stderr, "attack: there is no device %s\n", places[i].dev);
			return false;
		}
	}
	return true;
}

const struct place *place_random(void)
{
	return &places[random_below(ARRAY_SIZE(places))];
}

/* Begin a request about the qdisc at a place. */
struct tcmsg *place_begin(struct message *m, const struct place *at, uint16_t type, uint16_t flags)
{
	struct tcmsg *t = message_begin(m, type, flags);

	t->tcm_ifindex = at->index;
	t->tcm_parent = at->parent;
	return t;
}

/* The root of a device that was created since */
const struct place *place_only(const char *dev)
{
	static struct place only = { .parent = TC_H_ROOT };

	only.dev = dev;
	only.index = if_nametoindex(dev);
	return &only;
}
