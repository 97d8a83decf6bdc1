/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A recording is a header and, one after another, snapshots: a head, and as many bytes of
 * netlink messages as it says (see raw.h). All numbers are in the byte order and all
 * messages in the layout of the machine that wrote them. The header contains the byte
 * order; a recording in another one is rejected.
 */
#ifndef CODELSTAT_RECORD_H
#define CODELSTAT_RECORD_H

#include <stdint.h>

#define CS_RECORD_MAGIC		"codelrec"
#define CS_RECORD_VERSION	1
#define CS_RECORD_ORDER		0x01020304
#define CS_RECORD_MAX		(1U << 29)	/* bytes of a snapshot that are believed */

/**
 * struct cs_record_header - the beginning of the file
 * @magic: CS_RECORD_MAGIC, without an end
 * @order: CS_RECORD_ORDER
 * @version: CS_RECORD_VERSION
 */
struct cs_record_header {
	char magic[8];
	uint32_t order;
	uint32_t version;
};

/**
 * struct cs_record_head - the beginning of a snapshot
 * @monotonic: see struct cs_snapshot
 * @realtime: the same
 * @len: bytes that follow
 * @reserved: 0
 */
struct cs_record_head {
	uint64_t monotonic;
	uint64_t realtime;
	uint32_t len;
	uint32_t reserved;
};

#endif /* CODELSTAT_RECORD_H */
