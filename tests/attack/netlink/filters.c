// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Filters and chains of the qdisc at a place: matchall and basic, with and without an action. */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/tc_act/tc_gact.h>

#include "attack.h"

static struct tcmsg *filter(struct message *m, const struct place *at, uint16_t type,
			    uint16_t flags)
{
	static const uint16_t protocols[] = { ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 };
	uint32_t protocol = protocols[random_below(ARRAY_SIZE(protocols))];
	struct tcmsg *t = message_begin(m, type, flags);

	t->tcm_ifindex = at->index;
	t->tcm_parent = one_in(20) ? HANDLE | random_below(4) : HANDLE;
	t->tcm_info = TC_H_MAKE(random_below(4) << 16, htons(protocol));
	t->tcm_handle = random_below(4);
	return t;
}

static void chain(struct message *m)
{
	if (one_in(4))
		message_u32(m, TCA_CHAIN, random_below(3));
}

/* One action: drop, pass, steal, go on, jump to a chain */
static void action_put(struct message *m, uint16_t number)
{
	static const int verdicts[] = {
		TC_ACT_SHOT, TC_ACT_OK, TC_ACT_STOLEN, TC_ACT_PIPE, TC_ACT_RECLASSIFY,
		TC_ACT_QUEUED, TC_ACT_TRAP, TC_ACT_REDIRECT, TC_ACT_GOTO_CHAIN | 1,
	};
	struct tc_gact gact = { .action = verdicts[random_below(ARRAY_SIZE(verdicts))] };
	size_t all = message_nest(m, number), one = message_nest(m, 1), options;

	message_string(m, TCA_ACT_KIND, "gact");
	options = message_nest(m, TCA_ACT_OPTIONS);
	message_put(m, TCA_GACT_PARMS, &gact, sizeof(gact));
	message_end(m, options);
	message_end(m, one);
	message_end(m, all);
}

void filter_add(struct message *m, const struct place *at)
{
	bool basic = one_in(3);
	size_t nest;

	filter(m, at, RTM_NEWTFILTER, NLM_F_CREATE | (one_in(2) ? NLM_F_EXCL : 0));
	message_string(m, TCA_KIND, basic ? "basic" : "matchall");
	chain(m);
	nest = message_nest(m, TCA_OPTIONS);
	if (!one_in(5))
		message_u32(m, basic ? TCA_BASIC_CLASSID : TCA_MATCHALL_CLASSID,
			    HANDLE | (one_in(8) ? random_u32() & 0xffff : random_below(9)));
	if (one_in(3))
		action_put(m, basic ? TCA_BASIC_ACT : TCA_MATCHALL_ACT);
	message_end(m, nest);
}

/* One filter, or all of the qdisc */
void filter_delete(struct message *m, const struct place *at)
{
	struct tcmsg *t = filter(m, at, RTM_DELTFILTER, 0);

	if (one_in(2))
		t->tcm_info = 0;
	chain(m);
}

void filter_get(struct message *m, const struct place *at)
{
	filter(m, at, RTM_GETTFILTER, 0);
	message_string(m, TCA_KIND, one_in(3) ? "basic" : "matchall");
	chain(m);
}

void filter_dump(struct message *m, const struct place *at)
{
	filter(m, at, RTM_GETTFILTER, NLM_F_DUMP);
	chain(m);
}

void chain_change(struct message *m, const struct place *at)
{
	static const uint16_t types[] = { RTM_NEWCHAIN, RTM_DELCHAIN, RTM_GETCHAIN };
	uint16_t type = types[random_below(ARRAY_SIZE(types))];
	struct tcmsg *t = filter(m, at, type, 0);

	t->tcm_parent = HANDLE;
	if (type == RTM_NEWCHAIN)
		m->head.nlmsg_flags |= NLM_F_CREATE;
	if (type == RTM_GETCHAIN && one_in(2))
		m->head.nlmsg_flags |= NLM_F_DUMP;
	message_u32(m, TCA_CHAIN, random_below(3));
}
