// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See fields.h */
#include <string.h>

#include "../codel_ext_stats.h"
#include "fields.h"

#define AT(type, member) { offsetof(type, member), sizeof(((type *)NULL)->member) }
#define Q(member) .at = AT(struct cs_qdisc, member)
#define OOT(member) Q(member), .oot = true
#define LINK(member) Q(link.member), .link = true
#define FAR(member) .at = AT(struct codel_far_stats, member), .far = true
#define IN_TREE(member) .in_tree = AT(struct cs_qdisc, member)
#define ROW(member) .at = AT(struct cs_row, member), .of_row = true
#define FQ .only = CS_FQ_CODEL
#define COUNTER(name, unit, help) .metric = { name, unit, CS_COUNTER, help }
#define GAUGE(name, unit, help) .metric = { name, unit, CS_GAUGE, help }
#define DROP(number, word) \
	[FIELD_CHANGE_DROP + (number)] = { "change.dropped." word ".packets", ROW(delta.cause[number]) },
#define MARK(number, word) \
	[FIELD_CHANGE_MARK + (number)] = { "change.marked." word ".packets", ROW(delta.mark[number]) },

const struct cs_field cs_fields[FIELDS] = {
	[FIELD_RECEIVED_PACKETS] = { "received.packets", OOT(ext_stats.received.packets),
		COUNTER("codel_received_packets", "packets", "Packets given to the queue.") },
	[FIELD_RECEIVED_BYTES] = { "received.bytes", OOT(ext_stats.received.bytes),
		COUNTER("codel_received_bytes", "bytes", "Bytes given to the queue.") },
	[FIELD_SENT_PACKETS] = { "sent.packets", OOT(ext_stats.sent.packets), IN_TREE(packets),
		COUNTER("codel_sent_packets", "packets",
			"Packets that left the queue to be sent; of in-tree qdiscs, all sent.") },
	[FIELD_SENT_BYTES] = { "sent.bytes", OOT(ext_stats.sent.bytes), IN_TREE(bytes),
		COUNTER("codel_sent_bytes", "bytes",
			"Bytes that left the queue to be sent; of in-tree qdiscs, all sent.") },
	[FIELD_BYPASSED_PACKETS] = { "bypassed.packets", OOT(ext_stats.bypassed.packets),
		COUNTER("codel_bypassed_packets", "packets",
			"Packets of the wire that were sent past the empty queue.") },
	[FIELD_BYPASSED_BYTES] = { "bypassed.bytes", OOT(ext_stats.bypassed.bytes),
		COUNTER("codel_bypassed_bytes", "bytes",
			"Bytes that were sent past the empty queue.") },
	[FIELD_WIRE_BYTES] = { "wire_bytes", OOT(ext_stats.wire_bytes),
		COUNTER("codel_wire_bytes", "bytes",
			"Bytes sent on the link as the shaper counts them; 0 without a shaper.") },
	[FIELD_LINK_SLICES] = { "link.slices", LINK(slices),
		COUNTER("codel_link_slices", NULL,
			"Slices of the time of a shared link that the queue has reserved.") },
	[FIELD_LINK_WAITS] = { "link.waits", LINK(waits),
		COUNTER("codel_link_waits", NULL,
			"Slices that began later because of other queues.") },
	[FIELD_LINK_WAIT_TIME] = { "link.wait_ns", LINK(wait_sum), .form = CS_NS,
		COUNTER("codel_link_wait_seconds", "seconds",
			"Time by which slices began later because of other queues.") },
	[FIELD_FAR_ANSWERS] = { "far.answers", FAR(answers),
		COUNTER("codel_far_answers", NULL,
			"Answers that showed how long packets wait elsewhere.") },
	[FIELD_FAR_RELEASED] = { "far.released", FAR(released),
		COUNTER("codel_far_released_packets", "packets",
			"Packets that left a closed window without an answer.") },
	[FIELD_NEW_FLOWS] = { "new_flow_count", Q(new_flow_count), FQ,
		COUNTER("codel_new_flows", NULL, "Times that a flow became active.") },
	[FIELD_SHARED] = { "shared", OOT(collisions), FQ,
		COUNTER("codel_shared_packets", "packets",
			"Packets that had to share a queue with another flow.") },
	[FIELD_QLEN] = { "qlen", Q(qlen),
		GAUGE("codel_backlog_packets", "packets", "Packets in the queue.") },
	[FIELD_BACKLOG] = { "backlog", Q(backlog),
		GAUGE("codel_backlog_bytes", "bytes", "Bytes in the queue.") },
	[FIELD_MEMORY_USED] = { "memory_used", Q(memory), FQ,
		GAUGE("codel_memory_used_bytes", "bytes", "Memory of the packets in the queue.") },
	[FIELD_ACTIVE_FLOWS] = { Q(active), FQ,
		GAUGE("codel_active_flows", NULL, "Flows that have packets in the queue.") },
	[FIELD_DELAY_MAX] = { "delay.max_ns", OOT(ext_stats.delay_max), .form = CS_NS,
		GAUGE("codel_sojourn_max_seconds", "seconds",
		      "Longest time that a packet waited, since the counters began.") },
	[FIELD_FAR_DELAY] = { "far.delay_ns", FAR(delay), .form = CS_NS,
		GAUGE("codel_far_delay_seconds", "seconds",
		      "How long packets wait in the queue elsewhere now.") },
	[FIELD_FAR_PATH] = { "far.path_ns", FAR(path), .form = CS_NS,
		GAUGE("codel_far_path_seconds", "seconds",
		      "Round trip from here without the queue elsewhere, of the latest answer.") },
	[FIELD_FAR_RTT] = { "far.rtt_ns", FAR(rtt), .form = CS_NS,
		GAUGE("codel_far_rtt_seconds", "seconds",
		      "Round trip from here, of the latest answer.") },
	[FIELD_FAR_NEWS_AGE] = { "far.news_age_ns", FAR(news_age), .form = CS_NS, .off = true,
		GAUGE("codel_far_news_age_seconds", "seconds",
		      "Time since the latest answer; absent before the first.") },
	[FIELD_FAR_RATE] = { "far.rate", FAR(rate),
		GAUGE("codel_far_rate_bytes_per_second", "bytes_per_second",
		      "Rate that the queue elsewhere delivers.") },
	[FIELD_FAR_WINDOW] = { "far.window", FAR(window),
		GAUGE("codel_far_window_bytes", "bytes",
		      "Bytes that may be beyond the device; 0: no bound.") },
	[FIELD_FAR_BEYOND] = { "far.beyond", FAR(beyond),
		GAUGE("codel_far_beyond_bytes", "bytes", "Bytes beyond the device.") },
	[FIELD_TARGET] = { Q(target), .form = CS_NS,
		GAUGE("codel_target_seconds", "seconds",
		      "Setting: standing delay that is acceptable.") },
	[FIELD_INTERVAL] = { Q(interval), .form = CS_NS,
		GAUGE("codel_interval_seconds", "seconds",
		      "Setting: how long the delay may stay above the target.") },
	[FIELD_CE_THRESHOLD] = { Q(ce_threshold), .form = CS_NS, .off = true,
		GAUGE("codel_ce_threshold_seconds", "seconds",
		      "Setting: delay above which every packet is marked; absent if off.") },
	[FIELD_CEILING] = { Q(ceiling), .form = CS_NS, .off = true,
		GAUGE("codel_ceiling_seconds", "seconds",
		      "Setting: delay at which every packet is dropped if signals have no effect; "
		      "absent if off.") },
	[FIELD_RATE] = { "options.rate", Q(rate), .off = true,
		GAUGE("codel_rate_bytes_per_second", "bytes_per_second",
		      "Setting: rate of the shaper; absent if off.") },
	[FIELD_LIMIT] = { "options.limit", Q(limit),
		GAUGE("codel_limit_packets", "packets", "Setting: most packets in the queue.") },
	[FIELD_MEMORY_LIMIT] = { "options.memory_limit", Q(memory_limit), FQ,
		GAUGE("codel_memory_limit_bytes", "bytes",
		      "Setting: most memory for packets in the queue.") },
	[FIELD_FLOWS] = { "options.flows", Q(flows), FQ,
		GAUGE("codel_flows_limit", NULL, "Setting: number of queues for flows.") },
	[FIELD_ECN] = { "options.ecn", Q(ecn), .form = CS_FLAG,
		GAUGE("codel_ecn_enabled", NULL,
		      "Setting: whether packets are marked, 0 or 1.") },
	[FIELD_CHANGE_BYTES] = { "change.bytes", ROW(delta.bytes) },
	[FIELD_CHANGE_PACKETS] = { "change.packets", ROW(delta.packets) },
	CODEL_DROP_CAUSE_LIST(DROP)
	CODEL_MARK_CAUSE_LIST(MARK)
	[FIELD_CHANGE_P50] = { "change.delay.p50_ns", ROW(delays.p50), .form = CS_DELAY },
	[FIELD_CHANGE_P90] = { "change.delay.p90_ns", ROW(delays.p90), .form = CS_DELAY },
	[FIELD_CHANGE_P99] = { "change.delay.p99_ns", ROW(delays.p99), .form = CS_DELAY },
	[FIELD_CHANGE_P999] = { "change.delay.p99_9_ns", ROW(delays.p999), .form = CS_DELAY },
	[FIELD_CHANGE_MAX] = { "change.delay.max_ns", ROW(delays.max), .form = CS_DELAY },
	[FIELD_CHANGE_WIRE] = { "change.wire_bytes", ROW(delta.wire), .oot = true },
};

bool cs_field_is_there(const struct cs_field *field, const struct cs_qdisc *q)
{
	return (field->only == CS_OTHER || field->only == q->type) &&
	       (!field->oot || q->oot || field->in_tree.size) &&
	       (!field->link || q->link.queues) && (!field->far || q->far);
}

static uint64_t cs_field_read(const char *base, struct cs_at at)
{
	uint64_t wide;
	uint32_t value;

	switch (at.size) {
	case sizeof(bool):
		return *(const bool *)(base + at.offset);
	case sizeof(value):
		memcpy(&value, base + at.offset, sizeof(value));
		return value;
	default:
		memcpy(&wide, base + at.offset, sizeof(wide));
		return wide;
	}
}

bool cs_field_get(uint64_t *value, const struct cs_field *field, const struct cs_qdisc *q,
		  const struct cs_row *row)
{
	const void *base = field->of_row ? (const void *)row : field->far ? q->far : (const void *)q;
	const bool in_tree = field->oot && !q->oot;
	double delay;

	if (!cs_field_is_there(field, q))
		return false;
	if (field->form == CS_DELAY) {
		memcpy(&delay, (const char *)base + field->at.offset, sizeof(delay));
		*value = (uint64_t)delay;
		return row->delays.known;
	}
	*value = cs_field_read(base, in_tree ? field->in_tree : field->at);
	return !field->off || *value != UINT64_MAX;
}
