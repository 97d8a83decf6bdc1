// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Statistics and addresses of a flow: struct codel_flow_stats.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#include "codel_flow.h"
#include "codel_histogram.h"
#include "codel_json.h"

struct codel_name {
	const char *name;
	unsigned int number;
};

static const struct codel_name codel_ip_protocols[] = {
	{ "tcp", IPPROTO_TCP },
	{ "udp", IPPROTO_UDP },
	{ "icmp", IPPROTO_ICMP },
	{ "icmpv6", IPPROTO_ICMPV6 },
	{ "sctp", IPPROTO_SCTP },
	{ "gre", IPPROTO_GRE },
	{ "esp", IPPROTO_ESP },
	{ }
};

static const struct codel_name codel_ether_types[] = {
	{ "arp", ETH_P_ARP },
	{ "mpls", ETH_P_MPLS_UC },
	{ "pppoe", ETH_P_PPP_SES },
	{ }
};

static const char *codel_find_name(const struct codel_name *names,
				   unsigned int number)
{
	for (; names->name; names++)
		if (names->number == number)
			return names->name;
	return NULL;
}

const char *codel_ip_protocol(unsigned int number)
{
	return codel_find_name(codel_ip_protocols, number);
}

int codel_family(const struct codel_tuple *tuple)
{
	switch (ntohs(tuple->protocol)) {
	case ETH_P_IP:
		return AF_INET;
	case ETH_P_IPV6:
		return AF_INET6;
	default:
		return AF_UNSPEC;
	}
}

static void codel_print_end(FILE *f, int family, const __u8 *address,
			    bool ports, __be16 port)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(family, address, text, sizeof(text));
	fprintf(f, family == AF_INET6 ? "[%s]" : "%s", text);
	if (ports)
		fprintf(f, ":%u", ntohs(port));
}

static void codel_print_protocol(FILE *f, const char *name, const char *what,
				 unsigned int number)
{
	if (name)
		fprintf(f, " %s", name);
	else
		fprintf(f, " %s %#x", what, number);
}

static void codel_print_tuple(FILE *f, const struct codel_tuple *tuple)
{
	const int family = codel_family(tuple);
	const bool ports = tuple->sport || tuple->dport;

	if (!tuple->protocol)
		return;
	print_nl();
	fprintf(f, "  flow");
	if (family == AF_UNSPEC) {
		codel_print_protocol(f, codel_find_name(codel_ether_types,
							ntohs(tuple->protocol)),
				     "ethertype", ntohs(tuple->protocol));
		return;
	}
	codel_print_protocol(f, codel_ip_protocol(tuple->ip_proto), "protocol",
			     tuple->ip_proto);
	fputc(' ', f);
	codel_print_end(f, family, tuple->src, ports, tuple->sport);
	fprintf(f, " > ");
	codel_print_end(f, family, tuple->dst, ports, tuple->dport);
}

static void codel_json_tuple(const struct codel_tuple *tuple)
{
	const int family = codel_family(tuple);
	char text[INET6_ADDRSTRLEN];

	if (!tuple->protocol)
		return;
	open_json_object("tuple");
	codel_json_uint("protocol", ntohs(tuple->protocol));
	if (family != AF_UNSPEC) {
		codel_json_uint("ip_proto", tuple->ip_proto);
		codel_json_string("src", inet_ntop(family, tuple->src, text,
						   sizeof(text)));
		codel_json_uint("sport", ntohs(tuple->sport));
		codel_json_string("dst", inet_ntop(family, tuple->dst, text,
						   sizeof(text)));
		codel_json_uint("dport", ntohs(tuple->dport));
	}
	close_json_object();
}

void codel_json_flow_counts(const struct codel_flow_stats *flow)
{
	codel_json_u64("bytes", flow->bytes);
	codel_json_u64("packets", flow->packets);
	codel_json_uint("drops", flow->drops);
	codel_json_uint("marks", flow->marks);
}

static void codel_json_flow(const struct codel_flow_stats *flow,
			    const struct codel_histogram *delays)
{
	open_json_object("flow");
	codel_json_flow_counts(flow);
	codel_json_tuple(&flow->tuple);
	open_json_object("delay");
	codel_json_histogram(delays);
	close_json_object();
	close_json_object();
}

static __u64 codel_flow_delay_bound(unsigned int bucket)
{
	return bucket ? 1ULL << (CODEL_FLOW_DELAY_SHIFT + bucket) : 0;
}

void codel_flow_histogram(struct codel_histogram *h, const __u32 *delay)
{
	unsigned int i;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < CODEL_FLOW_DELAYS; i++)
		h->packets[i] = delay[i];
	while (h->first < i && !h->packets[h->first])
		h->first++;
	while (i > h->first && !h->packets[i - 1])
		i--;
	h->end = i;
	h->buckets = CODEL_FLOW_DELAYS;
	h->bound = codel_flow_delay_bound;
	h->max = CODEL_NO_END;
}

void codel_print_flow(FILE *f, const struct rtattr *xstats, size_t offset)
{
	struct codel_histogram delays;
	struct codel_flow_stats flow;

	if (!codel_copy_stats(&flow, xstats, offset, sizeof(flow)))
		return;
	codel_flow_histogram(&delays, flow.delay);
	if (is_json_context()) {
		codel_json_flow(&flow, &delays);
		return;
	}
	codel_print_tuple(f, &flow.tuple);
	print_nl();
	fprintf(f, "  sent %llub %llup drops %u marks %u",
		(unsigned long long)flow.bytes,
		(unsigned long long)flow.packets, flow.drops, flow.marks);
	codel_print_percentiles(f, &delays);
}
