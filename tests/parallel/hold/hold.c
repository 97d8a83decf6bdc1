// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The lock of a device's root qdisc is held, as by a processor that is busy with packets:
 *
 *	insmod hold.ko
 *	echo d0 >/sys/module/hold/parameters/root	# held, by the last processor
 *	echo >/sys/module/hold/parameters/root		# free
 *
 * The device is looked up in the namespace of who writes. A lock that is not released for HOLD_MOST is
 * free again, and the release says so: -ETIMEDOUT.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <net/sch_generic.h>

#define HOLD_MOST	(60 * NSEC_PER_SEC)	/* a lockup is reported after 120 s */

static struct task_struct *holder;
static DECLARE_COMPLETION(held);

static bool hold_lock(spinlock_t *lock)
{
	u64 end = ktime_get_ns() + HOLD_MOST;
	bool stop;

	spin_lock_bh(lock);
	complete(&held);
	do {
		stop = kthread_should_stop();
		cpu_relax();
	} while (!stop && ktime_get_ns() < end);
	spin_unlock_bh(lock);
	return stop;
}

static int hold_root(void *data)
{
	struct net_device *dev = data;
	bool stopped;

	rcu_read_lock();
	stopped = hold_lock(qdisc_lock(rcu_dereference(dev->qdisc)));
	rcu_read_unlock();
	dev_put(dev);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return stopped ? 0 : -ETIMEDOUT;
}

static int hold_release(void)
{
	struct task_struct *task = holder;

	holder = NULL;
	return task ? kthread_stop(task) : -ENOENT;
}

static int hold_set(const char *value, const struct kernel_param *param)
{
	char name[IFNAMSIZ];
	struct net_device *dev;
	struct task_struct *task;

	if (strscpy(name, value, sizeof(name)) < 0)
		return -EINVAL;
	if (!*strim(name))
		return hold_release();
	if (holder)
		return -EBUSY;
	dev = dev_get_by_name(current->nsproxy->net_ns, strim(name));
	if (!dev)
		return -ENODEV;
	task = kthread_create(hold_root, dev, "hold");
	if (IS_ERR(task)) {
		dev_put(dev);
		return PTR_ERR(task);
	}
	holder = task;
	kthread_bind(task, cpumask_last(cpu_online_mask));
	reinit_completion(&held);
	wake_up_process(task);
	wait_for_completion(&held);
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };

module_param_cb(root, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(root, "hold the lock of this device's root qdisc");

static void __exit hold_exit(void)
{
	hold_release();
}
module_exit(hold_exit);

MODULE_DESCRIPTION("A root lock that is held, for tests");
MODULE_LICENSE("Dual BSD/GPL");
