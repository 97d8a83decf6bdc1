/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A snapshot as the kernel gave it: netlink messages, one after another. Links of them
 * have their names alone. Recordings are made of these.
 */
#ifndef CODELSTAT_RAW_H
#define CODELSTAT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "snapshot.h"

struct nlattr;
struct nlmsghdr;

/**
 * struct cs_raw - netlink messages
 * @monotonic: see struct cs_snapshot
 * @realtime: the same
 * @data: the messages
 * @len: their length
 * @room: memory at @data
 */
struct cs_raw {
	uint64_t monotonic;
	uint64_t realtime;
	unsigned char *data;
	size_t len;
	size_t room;
};

/* Where to write @more bytes behind the messages, NULL if there is no memory */
void *cs_raw_reserve(struct cs_raw *raw, size_t more);

/**
 * cs_decode() - decode messages, which may be any bytes
 * @snapshot: filled; it may have been used before
 * @raw: RTM_NEWLINK, RTM_NEWQDISC and RTM_NEWTCLASS, in any order; others are ignored
 * @filter: selects devices, qdiscs and flows
 *
 * Return: 0, -1 with errno EBADMSG if they are no messages, EFBIG if they are more than
 * CS_QDISCS_MAX or CS_FLOWS_MAX, or ENOMEM
 */
int cs_decode(struct cs_snapshot *snapshot, const struct cs_raw *raw,
	      const struct cs_filter *filter);

/* The same in two steps: links and qdiscs; then the flows in the messages from @from on. */
int cs_decode_qdiscs(struct cs_snapshot *snapshot, const struct cs_raw *raw,
		     const struct cs_filter *filter);
int cs_decode_flows(struct cs_snapshot *snapshot, const struct cs_raw *raw, size_t from,
		    const struct cs_filter *filter);

/* The next message from @from on; NULL at the end. Sets errno if that is none. */
const struct nlmsghdr *cs_message(const struct cs_raw *raw, size_t *from);

/* Whether a message has this type and is not shorter than its fixed header */
bool cs_is(const struct nlmsghdr *nlh, uint16_t type, size_t size);

/* A device's name, with escapes */
void cs_clean_name(char to[CS_NAME_MAX], const char *name);

/* Attributes by number, NULL where there is none; those beyond @max are ignored */
void cs_attrs(const struct nlattr **tb, uint16_t max, const void *payload, size_t len);

/* As much of an attribute as is given and wanted, the rest is 0; returns how much was given */
size_t cs_copy(void *to, size_t size, const struct nlattr *attr);

/* Copy a word of at most @size - 1 bytes; the terminating 0 may be missing. */
void cs_word(char *to, size_t size, const struct nlattr *attr);

/* netlink.c: as recvmsg(), but messages that the kernel did not send (nl_pid is not 0) are
 * discarded. In the network namespace of a container, its root can send any to codelstat.
 */
ssize_t cs_netlink_receive(int fd, void *data, size_t size, int flags);

/* netlink.c: the messages of the last snapshot */
const struct cs_raw *cs_netlink_raw(const struct cs_source *source);

#endif /* CODELSTAT_RAW_H */
