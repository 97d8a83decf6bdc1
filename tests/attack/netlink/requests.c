// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Requests of each sort for the qdisc at a place, and for its classes. */
#include <linux/gen_stats.h>
#include <linux/if.h>
#include <string.h>

#include "attack.h"

static struct tcmsg *qdisc(struct message *m, const struct place *at, uint16_t type,
			   uint16_t flags)
{
	struct tcmsg *t = place_begin(m, at, type, flags);

	t->tcm_handle = HANDLE;
	return t;
}

/* A size table, and an estimator of the rate */
static void extras(struct message *m)
{
	static const struct tc_sizespec spec = {
		.cell_log = 4, .cell_align = -1, .linklayer = 2, .overhead = 20, .tsize = 8,
	};
	static const struct tc_estimator estimator = { .interval = 0, .ewma_log = 2 };
	static const uint16_t table[8] = { 64, 100, 2000, 40000, 65535, 1, 0, 9 };
	size_t nest;

	if (one_in(10)) {
		nest = message_nest(m, TCA_STAB);
		message_put(m, TCA_STAB_BASE, &spec, sizeof(spec));
		message_put(m, TCA_STAB_DATA, table, sizeof(table));
		message_end(m, nest);
	}
	if (one_in(20))
		message_put(m, TCA_RATE, &estimator, sizeof(estimator));
}

static void with_options(struct message *m, const char *kind)
{
	message_string(m, TCA_KIND, kind);
	if (!one_in(20))
		options_put(m, kind);
	extras(m);
}

static void create(struct message *m, const struct place *at)
{
	qdisc(m, at, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL);
	with_options(m, kind_random());
}

static void replace(struct message *m, const struct place *at)
{
	qdisc(m, at, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
	with_options(m, kind_random());
}

/* A change names no kind now and then: then the kernel takes any options. */
static void change(struct message *m, const struct place *at)
{
	const char *kind = kind_random();

	qdisc(m, at, RTM_NEWQDISC, 0);
	if (one_in(4))
		options_put(m, kind);
	else
		with_options(m, kind);
}

static void delete(struct message *m, const struct place *at)
{
	qdisc(m, at, RTM_DELQDISC, 0);
}

static void get(struct message *m, const struct place *at)
{
	qdisc(m, at, RTM_GETQDISC, NLM_F_ECHO);
}

static void dump(struct message *m, const struct place *at)
{
	qdisc(m, at, RTM_GETQDISC, NLM_F_DUMP);
	if (one_in(2))
		message_put(m, TCA_DUMP_INVISIBLE, NULL, 0);
}

static void class_dump(struct message *m, const struct place *at)
{
	struct tcmsg *t = qdisc(m, at, RTM_GETTCLASS, NLM_F_DUMP);

	if (!one_in(4))
		t->tcm_parent = 0;
}

static void class_change(struct message *m, const struct place *at)
{
	static const uint16_t types[] = { RTM_NEWTCLASS, RTM_DELTCLASS, RTM_GETTCLASS };
	uint16_t type = types[random_below(ARRAY_SIZE(types))];
	struct tcmsg *t = qdisc(m, at, type, type == RTM_NEWTCLASS ? NLM_F_CREATE : 0);

	t->tcm_parent = HANDLE;
	t->tcm_handle = HANDLE | random_below(12);
	if (one_in(2))
		with_options(m, kind_random());
}

/* A qdisc below a class of the qdisc */
static void below(struct message *m, const struct place *at)
{
	struct tcmsg *t = qdisc(m, at, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);

	t->tcm_parent = HANDLE | random_below(4);
	t->tcm_handle = 0x200000;
	with_options(m, kind_random());
}

/* Set before the first request */
bool mtu_changes;

/* The device: down, up, and another MTU. A header of a link takes the place of that of tc. */
static void link_change(struct message *m, const struct place *at)
{
	static const uint32_t mtus[] = { 68, 576, 1500, 1500, 9000, 65535 };
	struct ifinfomsg *info = (void *)message_begin(m, RTM_NEWLINK, 0);

	m->head.nlmsg_len = NLMSG_LENGTH(sizeof(*info));
	memset(info, 0, sizeof(*info));
	info->ifi_index = at->index;
	if (mtu_changes && one_in(2)) {
		message_u32(m, IFLA_MTU, mtus[random_below(ARRAY_SIZE(mtus))]);
		return;
	}
	info->ifi_change = IFF_UP;
	info->ifi_flags = one_in(4) ? 0 : IFF_UP;
}

const struct sort sorts[] = {
	{ "qdisc create", create, 10 },
	{ "qdisc replace", replace, 8 },
	{ "qdisc change", change, 40 },
	{ "qdisc delete", delete, 2 },
	{ "qdisc get", get, 4 },
	{ "qdisc dump", dump, 3 },
	{ "qdisc below a class", below, 2 },
	{ "class dump", class_dump, 4 },
	{ "class new, delete, get", class_change, 5 },
	{ "filter add", filter_add, 8 },
	{ "filter delete", filter_delete, 6 },
	{ "filter get", filter_get, 2 },
	{ "filter dump", filter_dump, 2 },
	{ "chain", chain_change, 2 },
	{ "link", link_change, 2 },
};

const unsigned int sorts_count = ARRAY_SIZE(sorts);
