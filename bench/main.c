// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The file codel_bench/run in debugfs: a line that is written describes a run,
 * and is carried out before write() returns; what is read then is its result.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>

#include "bench.h"

#define BENCH_LINE_MAX	1024

static DEFINE_MUTEX(bench_mutex);	/* guards all below */
static char bench_result[BENCH_LINE_MAX];
static struct bench_run bench_run;
static struct dentry *bench_dir;

static void bench_report(struct bench_run *run, u64 before, u32 queued)
{
	u64 offered = run->offered - before;
	u64 dropped = offered - run->delivered + queued - run->sch->q.qlen;
	size_t size = sizeof(bench_result);
	char *line = bench_result;
	int n;

	if (run->config.dump) {
		scnprintf(line, size, "dump_ns=%llu qlen=%u\n", run->dump_ns,
			  run->sch->q.qlen);
		return;
	}
	n = scnprintf(line, size,
		      "offered=%llu delivered=%llu dropped=%llu marked=%llu idle=%llu qlen=%u ns=%llu wall=%llu truesize=%u",
		      offered, run->delivered, dropped, run->marked, run->idle,
		      run->sch->q.qlen, run->ns, run->wall,
		      run->packets.all[0] ? run->packets.all[0]->truesize : 0);
	n += bench_samples_print("enqueue", &run->enqueue, line + n, size - n);
	n += bench_samples_print("dequeue", &run->dequeue, line + n, size - n);
	n += bench_samples_print("window", &run->window, line + n, size - n);
	scnprintf(line + n, size - n, "\n");
}

static int bench_prepare(struct bench_run *run)
{
	u32 calls = 2 * run->config.packets;
	int err;

	run->clock = bench_samples_clock();
	run->tos = run->config.ecn ? INET_ECN_ECT_0 : 0;
	err = bench_packets_make(run);
	if (!err && run->config.each)
		err = bench_samples_init(&run->enqueue, calls);
	if (!err && run->config.each)
		err = bench_samples_init(&run->dequeue, calls);
	if (!err && run->config.link)
		err = bench_samples_init(&run->window, 1 + run->config.packets / BENCH_LINK_WINDOW);
	return err;
}

static int bench_offer_all(struct bench_run *run, u64 packets)
{
	return run->config.link ? bench_link(run, packets) : bench_drive(run, packets);
}

/* Fill, warm up, and measure what is left of the counters then. */
static int bench_measure(struct bench_run *run)
{
	u64 before;
	u32 queued;
	int err;

	err = run->config.link ? 0 : bench_drive_fill(run);
	if (!err && run->config.warmup)
		err = bench_offer_all(run, run->config.warmup);
	if (err)
		return err;
	before = run->offered;
	queued = run->sch->q.qlen;
	run->delivered = 0;
	run->marked = 0;
	run->idle = 0;
	run->ns = 0;
	run->wall = 0;
	run->enqueue.count = 0;
	run->dequeue.count = 0;
	run->window.count = 0;
	err = run->config.dump ? bench_dump(run) :
				 bench_offer_all(run, run->config.packets);
	if (!err)
		bench_report(run, before, queued);
	return err;
}

static void bench_reset(struct Qdisc *sch)
{
	spin_lock_bh(qdisc_lock(sch));
	qdisc_reset(sch);
	spin_unlock_bh(qdisc_lock(sch));
}

/* Only this module may enqueue and dequeue packets: the device is down, and remains
 * down while the rtnl lock is held. For a @link it is up.
 */
static struct Qdisc *bench_find(const char *name, bool link)
{
	struct net_device *dev;
	struct Qdisc *sch;

	dev = __dev_get_by_name(&init_net, name);
	if (!dev)
		return ERR_PTR(-ENODEV);
	if (!(dev->flags & IFF_UP) == link)
		return ERR_PTR(-EBUSY);
	sch = rtnl_dereference(dev->qdisc);
	if (!sch || sch->flags & (TCQ_F_BUILTIN | TCQ_F_NOLOCK))
		return ERR_PTR(-EOPNOTSUPP);
	return sch;
}

static int bench_execute(struct bench_run *run)
{
	int err;

	err = bench_prepare(run);
	if (err)
		goto out;
	rtnl_lock();
	run->sch = bench_find(run->config.dev, run->config.link);
	err = PTR_ERR_OR_ZERO(run->sch);
	if (!err) {
		bench_reset(run->sch);
		err = bench_measure(run);
		bench_packets_put_free(run);
		bench_reset(run->sch);
	}
	rtnl_unlock();	/* frees what the qdisc let go of */
out:
	if (!run->sch || IS_ERR(run->sch))
		bench_packets_put_free(run);
	bench_packets_destroy(run);
	kvfree(run->enqueue.ns);
	kvfree(run->dequeue.ns);
	kvfree(run->window.ns);
	return err;
}

static int bench_line(char *line)
{
	int err;

	memset(&bench_run, 0, sizeof(bench_run));
	bench_result[0] = '\0';
	err = bench_config_parse(&bench_run.config, line);
	return err ? : bench_execute(&bench_run);
}

static ssize_t bench_write(struct file *file, const char __user *data,
			   size_t size, loff_t *pos)
{
	char *line;
	int err;

	if (size >= BENCH_LINE_MAX)
		return -EINVAL;
	line = memdup_user_nul(data, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&bench_mutex);
	err = bench_line(line);
	mutex_unlock(&bench_mutex);
	kfree(line);
	return err ? : size;
}

static ssize_t bench_read(struct file *file, char __user *data, size_t size,
			  loff_t *pos)
{
	ssize_t n;

	mutex_lock(&bench_mutex);
	n = simple_read_from_buffer(data, size, pos, bench_result,
				    strlen(bench_result));
	mutex_unlock(&bench_mutex);
	return n;
}

static const struct file_operations bench_fops = {
	.owner	= THIS_MODULE,
	.read	= bench_read,
	.write	= bench_write,
};

static int __init bench_init(void)
{
	int err;

	err = bench_loop_register();
	if (err)
		return err;
	bench_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0600, bench_dir, NULL, &bench_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove_recursive(bench_dir);
	bench_loop_unregister();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Cost of a qdisc per packet");
MODULE_LICENSE("Dual BSD/GPL");
