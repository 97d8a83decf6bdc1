/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the meter know of each other; see main.c. All that changes while packets flow
 * is under meter.lock.
 */
#ifndef _LAB_METER_H
#define _LAB_METER_H

#include <linux/fs.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define METER_QUEUES	16	/* as many as a record can name */

enum meter_fate {
	METER_SENT,
	METER_MARKED,	/* sent with a CE mark, arrived without one */
	METER_DROPPED,
	METER_FILL,	/* no packet: time passed */
};

/**
 * struct meter - what all parts share
 * @lock: over all but @devices
 * @devices: that are measured; NULL if it has gone. Changed under RTNL only
 * @queues: how many of them there ever were
 * @waiting: packets in a queue now
 * @unknown: left a queue, and had not come
 * @strange: arrived at a queue while in another
 * @segmented: were cut into several there, each of which is a record of its own
 * @crowded: not followed, as too many waited
 */
struct meter {
	spinlock_t lock;	/* taken in softirqs, and wherever packets are freed */
	struct net_device *devices[METER_QUEUES];
	unsigned int queues;
	u64 waiting;
	u64 unknown;
	u64 strange;
	u64 segmented;
	u64 crowded;
};

extern struct meter meter;

/* probes.c: the kernel's tracepoints */
int meter_probes_init(unsigned int packets);
void meter_probes_stop(void);
void meter_probes_exit(void);

/**
 * struct meter_flow - whose packets; as it is read
 *
 * The first is that of all that is not IPv4, or arrived when the table was full: all zero.
 */
struct meter_flow {
	__be32 saddr;
	__be32 daddr;
	__be16 sport;	/* the identifier of ICMP's echo */
	__be16 dport;
	u8 proto;
	u8 pad[3];
};

/* flows.c */
int meter_flows_init(void);
void meter_flows_exit(void);
void meter_flow_read(const struct sk_buff *skb, struct meter_flow *flow);
u32 meter_flow_number(const struct meter_flow *flow);
unsigned int meter_flows_count(void);
extern const struct file_operations meter_flows_file;

/* log.c: the records */
int meter_log_init(unsigned int records);
void meter_log_exit(void);
int meter_log_begin(u64 origin);
void meter_log_add(u64 now, u64 waited, u32 flow, u32 queue, enum meter_fate fate, u32 length);
unsigned int meter_log_count(void);
u64 meter_log_overrun(void);
extern const struct file_operations meter_log_file;

#endif /* _LAB_METER_H */
