// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Netlink requests, attribute by attribute. What does not fit is left out. */
#include <string.h>

#include "attack.h"

struct tcmsg *message_begin(struct message *m, uint16_t type, uint16_t flags)
{
	memset(m, 0, NLMSG_LENGTH(sizeof(struct tcmsg)));
	m->head.nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg));
	m->head.nlmsg_type = type;
	m->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	return NLMSG_DATA(&m->head);
}

void message_put(struct message *m, uint16_t type, const void *data, size_t len)
{
	size_t at = NLMSG_ALIGN(m->head.nlmsg_len);
	struct nlattr *attr = (void *)(m->bytes + at);

	if (at + NLA_HDRLEN + NLA_ALIGN(len) > MESSAGE_MAX)
		return;
	memset(attr, 0, NLA_HDRLEN + NLA_ALIGN(len));
	attr->nla_len = NLA_HDRLEN + len;
	attr->nla_type = type;
	if (len)
		memcpy((uint8_t *)attr + NLA_HDRLEN, data, len);
	m->head.nlmsg_len = at + NLA_HDRLEN + NLA_ALIGN(len);
}

void message_u8(struct message *m, uint16_t type, uint8_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_u32(struct message *m, uint16_t type, uint32_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_u64(struct message *m, uint16_t type, uint64_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_string(struct message *m, uint16_t type, const char *text)
{
	message_put(m, type, text, strlen(text) + 1);
}

/* Begin a nest; the result is for message_end(). */
size_t message_nest(struct message *m, uint16_t type)
{
	size_t at = m->head.nlmsg_len;

	message_put(m, type, NULL, 0);
	return at;
}

void message_end(struct message *m, size_t nest)
{
	struct nlattr *attr = (void *)(m->bytes + nest);

	attr->nla_len = m->head.nlmsg_len - nest;
}

/* The first attribute of this type; NULL if there is none */
const struct nlattr *attribute(const void *data, size_t len, uint16_t type)
{
	const struct nlattr *attr = data;

	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= len) {
		size_t step = NLA_ALIGN(attr->nla_len);

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		if (step >= len)
			break;
		len -= step;
		attr = (const void *)((const uint8_t *)attr + step);
	}
	return NULL;
}
