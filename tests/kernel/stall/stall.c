// SPDX-License-Identifier: GPL-2.0
/*
 * Timers stand still while the clock goes on, as in a machine whose processor was taken away:
 *
 *	insmod stall.ko
 *	echo 200 >/sys/module/stall/parameters/ms
 *
 * The write returns after that time, 1 to 1000 ms. Meanwhile the processor accepts no interrupt.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>

#define STALL_MAX	1000	/* ms; a lockup is reported after some seconds */

static int stall(const char *value, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int ms;
	u64 end;
	int err;

	err = kstrtouint(value, 0, &ms);
	if (err)
		return err;
	if (!ms || ms > STALL_MAX)
		return -ERANGE;
	local_irq_save(flags);
	end = ktime_get_ns() + ms * NSEC_PER_MSEC;
	while (ktime_get_ns() < end)
		cpu_relax();
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops stall_ops = { .set = stall };

module_param_cb(ms, &stall_ops, NULL, 0200);
MODULE_PARM_DESC(ms, "accept no interrupt for this time, 1 to 1000 ms");

MODULE_DESCRIPTION("Timers that stand still, for tests");
MODULE_LICENSE("GPL");
