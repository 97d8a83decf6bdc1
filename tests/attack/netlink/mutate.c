// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A valid request with one to three mistakes. It still is one message that asks for an answer. */
#include <string.h>

#include "attack.h"

#define HEAD	NLMSG_LENGTH(sizeof(struct tcmsg))

/* A random attribute at a random depth; NULL if there is none */
static struct nlattr *attribute_random(struct message *m)
{
	size_t at = HEAD, end = m->head.nlmsg_len;
	struct nlattr *found = NULL;
	unsigned int seen = 0;

	while (at + NLA_HDRLEN <= end) {
		struct nlattr *attr = (void *)(m->bytes + at);
		bool nest = attr->nla_type & NLA_F_NESTED || attr->nla_type == TCA_OPTIONS;

		if (attr->nla_len < NLA_HDRLEN || at + attr->nla_len > end)
			break;
		if (one_in(++seen))
			found = attr;
		at += nest && !one_in(4) ? NLA_HDRLEN : NLA_ALIGN(attr->nla_len);
	}
	return found;
}

static void flip_bit(struct message *m)
{
	if (m->head.nlmsg_len > HEAD)
		m->bytes[HEAD + random_below(m->head.nlmsg_len - HEAD)] ^= 1 << random_below(8);
}

static void any_byte(struct message *m)
{
	if (m->head.nlmsg_len > HEAD)
		m->bytes[HEAD + random_below(m->head.nlmsg_len - HEAD)] = random_u32();
}

static void length(struct message *m)
{
	static const uint16_t lengths[] = { 0, 1, 3, 4, 5, 6, 7, 8, 9, 12, 255, 4096, 65535 };
	struct nlattr *attr = attribute_random(m);

	if (attr)
		attr->nla_len = one_in(2) ? attr->nla_len + random_below(9) - 4 :
					    lengths[random_below(ARRAY_SIZE(lengths))];
}

static void number(struct message *m)
{
	struct nlattr *attr = attribute_random(m);

	if (attr)
		attr->nla_type = one_in(4) ? random_u32() : random_below(20);
}

static void nested_flag(struct message *m)
{
	struct nlattr *attr = attribute_random(m);

	if (attr)
		attr->nla_type ^= one_in(4) ? NLA_F_NET_BYTEORDER : NLA_F_NESTED;
}

/* Cut within or between attributes, or within the header */
static void cut(struct message *m)
{
	size_t least = one_in(8) ? sizeof(m->head) : HEAD;

	if (m->head.nlmsg_len > least)
		m->head.nlmsg_len = least + random_below(m->head.nlmsg_len - least);
}

/* An attribute again, at the end */
static void repeat(struct message *m)
{
	struct nlattr copy[128], *attr = attribute_random(m);

	if (!attr || attr->nla_len < NLA_HDRLEN || attr->nla_len > sizeof(copy))
		return;
	memcpy(copy, attr, attr->nla_len);
	message_put(m, copy->nla_type, &copy[1], copy->nla_len - NLA_HDRLEN);
}

static void more_bytes(struct message *m)
{
	unsigned int count = random_below(40);

	while (count-- && m->head.nlmsg_len < MESSAGE_MAX)
		m->bytes[m->head.nlmsg_len++] = random_u32();
}

static void deep(struct message *m)
{
	unsigned int depth = random_below(60);
	size_t nests[60];

	for (unsigned int i = 0; i < depth; i++)
		nests[i] = message_nest(m, TCA_OPTIONS | (one_in(2) ? NLA_F_NESTED : 0));
	while (depth--)
		if (nests[depth] + NLA_HDRLEN <= MESSAGE_MAX)
			message_end(m, nests[depth]);
}

static void place(struct message *m)
{
	static const uint32_t handles[] = {
		0, HANDLE, HANDLE | 1, HANDLE | 0xffff, 0x10000, 0x10001, TC_H_ROOT, TC_H_INGRESS,
		TC_H_UNSPEC, 0x200000, 0xffff0000,
	};
	uint32_t handle = handles[random_below(ARRAY_SIZE(handles))];
	struct tcmsg *t = NLMSG_DATA(&m->head);

	switch (random_below(4)) {
	case 0:
		t->tcm_handle = handle;
		break;
	case 1:
		t->tcm_parent = handle;
		break;
	case 2:
		t->tcm_info = random_u32();
		break;
	default:
		if (one_in(4))
			t->tcm_ifindex = random_below(8);
	}
}

static void flags(struct message *m)
{
	m->head.nlmsg_flags ^= 0x100 << random_below(4);
}

static void type(struct message *m)
{
	static const uint16_t types[] = {
		RTM_NEWQDISC, RTM_DELQDISC, RTM_GETQDISC, RTM_NEWTCLASS, RTM_DELTCLASS,
		RTM_GETTCLASS, RTM_NEWTFILTER, RTM_DELTFILTER, RTM_GETTFILTER, RTM_NEWCHAIN,
		RTM_DELCHAIN, RTM_GETCHAIN,
	};

	m->head.nlmsg_type = types[random_below(ARRAY_SIZE(types))];
}

void mutate(struct message *m)
{
	static void (*const ways[])(struct message *m) = {
		flip_bit, flip_bit, any_byte, length, length, number, number, nested_flag, cut,
		repeat, more_bytes, deep, place, flags, type,
	};
	unsigned int count = 1 + random_below(3);

	while (count--)
		ways[random_below(ARRAY_SIZE(ways))](m);
}
