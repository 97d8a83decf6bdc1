// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * What a dump of a qdisc's own statistics takes, most of it under the lock.
 */
#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/sizes.h>
#include <net/gen_stats.h>

#include "bench.h"

static int bench_dump_once(struct bench_run *run, struct sk_buff *skb)
{
	struct gnet_dump dump;
	u64 since, ns;
	int err;

	err = gnet_stats_start_copy_compat(skb, TCA_STATS2, TCA_STATS,
					   TCA_XSTATS, NULL, &dump, TCA_PAD);
	if (err)
		return err;
	since = ktime_get_ns();
	err = run->sch->ops->dump_stats(run->sch, &dump);
	ns = ktime_get_ns() - since;
	if (err < 0)	/* cake returns a length */
		return err;
	run->dump_ns = min(run->dump_ns, ns - min_t(u64, ns, run->clock));
	return gnet_stats_finish_copy(&dump);
}

/**
 * bench_dump() - dump the statistics several times
 * @run: gets the shortest time: an interrupt only makes it longer
 *
 * Return: 0; -EOPNOTSUPP if the qdisc has none of its own.
 */
int bench_dump(struct bench_run *run)
{
	u32 i;

	if (!run->sch->ops->dump_stats)
		return -EOPNOTSUPP;
	run->dump_ns = U64_MAX;
	for (i = 0; i < run->config.dump; i++) {
		struct sk_buff *skb = alloc_skb(SZ_4K, GFP_KERNEL);
		int err;

		if (!skb)
			return -ENOMEM;
		err = bench_dump_once(run, skb);
		kfree_skb(skb);
		if (err)
			return err;
	}
	return 0;
}
