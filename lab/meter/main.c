// SPDX-License-Identifier: GPL-2.0
/*
 * What became of every packet that was handed to a device, by the kernel's tracepoints: so it
 * is the same for each qdisc, and includes whatever shaper is around it.
 *
 *	insmod lab_meter.ko records=1000000
 *	cd /sys/kernel/debug/lab_meter
 *	echo "add r1" >control		# a device in the writer's namespace: queue 0; the next is 1
 *	echo "origin NS" >control	# of CLOCK_MONOTONIC: from then on, packets are recorded
 *	echo stop >control		# no more records, and nothing else changes
 *	cat records flows status
 *
 * A packet waits from net_dev_queue to net_dev_start_xmit; one that kfree_skb or consume_skb ends
 * in between was dropped. The segments of a super-packet that is cut up in between have waited as
 * long as it. Each is one record when it ends, in order of time, 16 bytes, little
 * endian:
 *
 *	u32 gap		ns since the record before, the first since the origin
 *	u32 waited	16 ns
 *	u32 what	flow (24 bits), queue (4), fate (4): enum meter_fate
 *	u32 length	of the packet on arrival, with the Ethernet header; of a super-packet
 *			with the headers of all its segments
 *
 * `flows` has a struct meter_flow for each number of a flow.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "meter.h"

static unsigned int records = 1 << 20;
module_param(records, uint, 0400);
MODULE_PARM_DESC(records, "how many there is room for, 16 bytes each (default 1048576)");

static unsigned int packets = 1 << 17;
module_param(packets, uint, 0400);
MODULE_PARM_DESC(packets, "how many can wait at once, 56 bytes each (default 131072)");

struct meter meter = {
	.lock = __SPIN_LOCK_UNLOCKED(meter.lock),
};

static struct dentry *meter_folder;

/* ---- control ---- */

static int meter_queue_of(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; i < meter.queues; i++)
		if (meter.devices[i] == dev)
			return i;
	return -ENOENT;
}

static int meter_add(const char *name)
{
	struct net_device *dev;
	int err = 0;

	rtnl_lock();
	dev = __dev_get_by_name(current->nsproxy->net_ns, name);
	if (!dev) {
		err = -ENODEV;
	} else if (meter_queue_of(dev) >= 0) {
		err = -EEXIST;
	} else if (meter.queues == METER_QUEUES) {
		err = -ENOSPC;
	} else {
		WRITE_ONCE(meter.devices[meter.queues], dev);
		/* The probes look at no more than that */
		smp_store_release(&meter.queues, meter.queues + 1);
	}
	rtnl_unlock();
	return err;
}

static int meter_control(const char *text)
{
	char name[IFNAMSIZ], more;
	u64 origin;

	if (sscanf(text, "add %15s %c", name, &more) == 1)
		return meter_add(name);
	if (sscanf(text, "origin %llu %c", &origin, &more) == 1)
		return meter_log_begin(origin);
	if (sysfs_streq(text, "stop")) {
		meter_probes_stop();
		return 0;
	}
	return -EINVAL;
}

static DEFINE_MUTEX(meter_control_lock);	/* a command at a time */

static ssize_t meter_control_write(struct file *file, const char __user *from, size_t count,
				   loff_t *pos)
{
	char text[64] = "";
	int err;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	mutex_lock(&meter_control_lock);
	err = meter_control(text);
	mutex_unlock(&meter_control_lock);
	return err ?: count;
}

static const struct file_operations meter_control_file = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = meter_control_write,
};

static int meter_status_show(struct seq_file *file, void *data)
{
	struct meter now;

	spin_lock_irq(&meter.lock);
	now = meter;
	spin_unlock_irq(&meter.lock);
	seq_printf(file, "records %u\noverrun %llu\n", meter_log_count(), meter_log_overrun());
	seq_printf(file, "waiting %llu\nflows %u\n", now.waiting, meter_flows_count());
	seq_printf(file, "unknown %llu\nstrange %llu\n", now.unknown, now.strange);
	seq_printf(file, "segmented %llu\ncrowded %llu\n", now.segmented, now.crowded);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(meter_status);

/* ---- the module ---- */

static int meter_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	int queue = meter_queue_of(netdev_notifier_info_to_dev(ptr));

	if (event == NETDEV_UNREGISTER && queue >= 0)
		WRITE_ONCE(meter.devices[queue], NULL);
	return NOTIFY_DONE;
}

static struct notifier_block meter_notifier = {
	.notifier_call = meter_event,
};

static void meter_files(void)
{
	meter_folder = debugfs_create_dir("lab_meter", NULL);
	debugfs_create_file("control", 0200, meter_folder, NULL, &meter_control_file);
	debugfs_create_file("records", 0400, meter_folder, NULL, &meter_log_file);
	debugfs_create_file("flows", 0400, meter_folder, NULL, &meter_flows_file);
	debugfs_create_file("status", 0400, meter_folder, NULL, &meter_status_fops);
}

static int __init meter_init(void)
{
	int err;

	err = meter_log_init(records);
	if (err)
		return err;
	err = meter_flows_init();
	if (err)
		goto no_flows;
	err = register_netdevice_notifier(&meter_notifier);
	if (err)
		goto no_notifier;
	err = meter_probes_init(packets);
	if (err)
		goto no_probes;
	meter_files();
	return 0;

no_probes:
	unregister_netdevice_notifier(&meter_notifier);
no_notifier:
	meter_flows_exit();
no_flows:
	meter_log_exit();
	return err;
}

static void __exit meter_exit(void)
{
	debugfs_remove_recursive(meter_folder);
	meter_probes_exit();
	unregister_netdevice_notifier(&meter_notifier);
	meter_flows_exit();
	meter_log_exit();
}

module_init(meter_init);
module_exit(meter_exit);

MODULE_DESCRIPTION("What became of every packet of a device");
MODULE_LICENSE("GPL");
