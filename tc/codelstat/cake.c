// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * A sentence for each cake, where there is no codel and no fq_codel to show: cake has CoDel inside, but
 * neither its histograms nor its causes of drops.
 */
#include <inttypes.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "commands.h"
#include "raw.h"
#include "text.h"

#define CAKE_TINS 8

/**
 * struct cake - what is shown of it
 * @rate: of the shaper, bytes/s; 0: without one
 * @delay: average, of the tin with the longest, us
 * @peak: the same, of the longest delays
 * @drops: of all tins
 * @marks: the same
 */
struct cake {
	uint64_t rate;
	uint32_t delay;
	uint32_t peak;
	uint64_t drops;
	uint64_t marks;
};

static const struct nlattr *cake_nest(const struct nlattr **tb, uint16_t max,
				      const struct nlattr *nest)
{
	if (nest)
		cs_attrs(tb, max, mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest));
	else
		memset(tb, 0, sizeof(*tb) * (max + 1U));
	return nest;
}

static uint32_t cake_u32(const struct nlattr *attr)
{
	uint32_t value;

	cs_copy(&value, sizeof(value), attr);
	return value;
}

static void cake_add_tin(struct cake *cake, const struct nlattr *tin)
{
	const struct nlattr *tb[TCA_CAKE_TIN_STATS_MAX + 1];
	uint32_t delay, peak;

	if (!cake_nest(tb, TCA_CAKE_TIN_STATS_MAX, tin))
		return;
	delay = cake_u32(tb[TCA_CAKE_TIN_STATS_AVG_DELAY_US]);
	peak = cake_u32(tb[TCA_CAKE_TIN_STATS_PEAK_DELAY_US]);
	if (cake->delay < delay)
		cake->delay = delay;
	if (cake->peak < peak)
		cake->peak = peak;
	cake->drops += cake_u32(tb[TCA_CAKE_TIN_STATS_DROPPED_PACKETS]);
	cake->marks += cake_u32(tb[TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS]);
}

static void cake_read(struct cake *cake, const struct nlattr **tb)
{
	const struct nlattr *options[TCA_CAKE_MAX + 1], *stats[TCA_STATS_APP + 1];
	const struct nlattr *own[TCA_CAKE_STATS_MAX + 1], *tins[CAKE_TINS + 1];
	unsigned int i;

	memset(cake, 0, sizeof(*cake));
	cake_nest(options, TCA_CAKE_MAX, tb[TCA_OPTIONS]);
	cs_copy(&cake->rate, sizeof(cake->rate), options[TCA_CAKE_BASE_RATE64]);
	cake_nest(stats, TCA_STATS_APP, tb[TCA_STATS2]);
	cake_nest(own, TCA_CAKE_STATS_MAX, stats[TCA_STATS_APP]);
	cake_nest(tins, CAKE_TINS, own[TCA_CAKE_STATS_TIN_STATS]);
	for (i = 1; i <= CAKE_TINS; i++)
		cake_add_tin(cake, tins[i]);
}

static void cake_say(const char *dev, uint32_t handle, const struct cake *cake)
{
	char name[CS_TEXT], rate[CS_TEXT], delay[CS_TEXT], peak[CS_TEXT];

	cs_text_number(rate, (double)cake->rate * 8);
	cs_error("cake %s on %s: %s%s%s, delay %s, peak %s, drops %" PRIu64 ", marks %" PRIu64
		 "; all of it: tc -s qdisc show dev %s", cs_text_handle(name, handle), dev,
		 cake->rate ? "rate " : "no rate", cake->rate ? rate : "",
		 cake->rate ? "bit/s" : "",
		 cs_text_time(delay, (double)cake->delay * 1e3),
		 cs_text_time(peak, (double)cake->peak * 1e3), cake->drops, cake->marks, dev);
}

/* The name of a link, from the messages; NULL if it is not among them, or not @only */
static const char *cake_dev(char name[CS_NAME_MAX], const struct cs_raw *raw, int ifindex,
			    const char *only)
{
	const struct nlattr *tb[IFLA_IFNAME + 1];
	const struct ifinfomsg *info;
	const struct nlmsghdr *nlh;
	char raw_name[IFNAMSIZ];
	size_t at = 0;

	while ((nlh = cs_message(raw, &at))) {
		info = mnl_nlmsg_get_payload(nlh);
		if (!cs_is(nlh, RTM_NEWLINK, sizeof(*info)) || info->ifi_index != ifindex)
			continue;
		cs_attrs(tb, IFLA_IFNAME, info + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*info));
		cs_word(raw_name, sizeof(raw_name), tb[IFLA_IFNAME]);
		cs_clean_name(name, raw_name);
		return only && strcmp(only, raw_name) ? NULL : name;
	}
	return NULL;
}

void cs_explain_cakes(const struct cs_filter *filter, const struct cs_raw *raw)
{
	const struct nlattr *tb[TCA_STATS2 + 1];
	const struct nlmsghdr *nlh;
	const struct tcmsg *tcm;
	char name[CS_NAME_MAX], kind[CS_KIND_MAX];
	const char *dev;
	struct cake cake;
	size_t at = 0;

	while (raw && (nlh = cs_message(raw, &at))) {
		tcm = mnl_nlmsg_get_payload(nlh);
		if (!cs_is(nlh, RTM_NEWQDISC, sizeof(*tcm)) ||
		    (filter->handle && tcm->tcm_handle != filter->handle))
			continue;
		cs_attrs(tb, TCA_STATS2, tcm + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*tcm));
		cs_word(kind, sizeof(kind), tb[TCA_KIND]);
		dev = strcmp(kind, "cake") ? NULL : cake_dev(name, raw, tcm->tcm_ifindex, filter->dev);
		if (!dev)
			continue;
		cake_read(&cake, tb);
		cake_say(dev, tcm->tcm_handle, &cake);
	}
}
