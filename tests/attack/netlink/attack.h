/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Generated requests to the traffic control of the kernel. All that is random follows from one
 * seed: a run repeats with it, as far as the machine is one with virtual time.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- random.c ---- */

void random_seed(uint64_t seed);
uint32_t random_u32(void);
uint32_t random_below(uint32_t end);
bool one_in(uint32_t n);

/* ---- message.c: a request that grows ---- */

#define MESSAGE_MAX	4096

struct message {
	union {
		struct nlmsghdr head;
		uint8_t bytes[MESSAGE_MAX];
	};
};

struct tcmsg *message_begin(struct message *m, uint16_t type, uint16_t flags);
void message_put(struct message *m, uint16_t type, const void *data, size_t len);
void message_u8(struct message *m, uint16_t type, uint8_t value);
void message_u32(struct message *m, uint16_t type, uint32_t value);
void message_u64(struct message *m, uint16_t type, uint64_t value);
void message_string(struct message *m, uint16_t type, const char *text);
size_t message_nest(struct message *m, uint16_t type);
void message_end(struct message *m, size_t nest);
const struct nlattr *attribute(const void *data, size_t len, uint16_t type);

/* ---- place.c: where the qdiscs under attack are ---- */

struct place {
	const char *dev;
	uint32_t parent;
	int index;
};

#define HANDLE	0x100000u	/* of all qdiscs under attack: 10: */

bool places_find(void);
struct tcmsg *place_begin(struct message *m, const struct place *at, uint16_t type, uint16_t flags);
const struct place *place_random(void);
const struct place *place_only(const char *dev);

/* ---- options.c ---- */

const char *kind_random(void);
void options_put(struct message *m, const char *kind);

/* ---- requests.c, filters.c: one of each sort ---- */

typedef void (*request_fn)(struct message *m, const struct place *at);

struct sort {
	const char *name;
	request_fn make;
	unsigned int weight;
};

extern const struct sort sorts[];
extern const unsigned int sorts_count;
extern bool mtu_changes;

void filter_add(struct message *m, const struct place *at);
void filter_delete(struct message *m, const struct place *at);
void filter_get(struct message *m, const struct place *at);
void filter_dump(struct message *m, const struct place *at);
void chain_change(struct message *m, const struct place *at);

/* ---- mutate.c ---- */

void mutate(struct message *m);

/* ---- talk.c ---- */

/* The kernel's answer, if it is not an errno */
#define ANSWER_NONE	1000

void talk_open(void);
void talk_close(void);
int talk(struct message *m);

struct state {
	size_t len;
	uint8_t bytes[MESSAGE_MAX];
};

bool state_read(const struct place *at, struct state *state);

/* ---- traffic.c ---- */

pid_t traffic_start(uint64_t seed, unsigned int devices, unsigned int pause_max);
bool traffic_stop(pid_t child);

/* ---- churn.c, day.c ---- */

int churn(uint64_t seed, unsigned long count);
int day(uint64_t seed, unsigned long minutes);

#endif /* ATTACK_H */
