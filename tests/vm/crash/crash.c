// SPDX-License-Identifier: GPL-2.0
/* Does what the runner must notice: insmod crash.ko how=warn|oops|hang|leak|use|lock|race|refuse|nothing */
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *how = "nothing";
module_param(how, charp, 0);
MODULE_PARM_DESC(how, "warn, oops, hang, leak, use, lock, race, refuse or nothing");

static void __init leak(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	/* The compiler must not notice, either. */
	OPTIMIZER_HIDE_VAR(p);
}

static void __init use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	*(volatile char *)p = 1;
}

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

/* In one order and then in the other: two processors could wait for each other. */
static void __init lock(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static unsigned int counter;

/* All processors at once, without a lock. */
static void race(void *unused)
{
	unsigned int i;

	for (i = 0; i < 1000000; i++) {
		counter++;
		barrier();
	}
}

static int __init crash_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "asked to\n");
	else if (!strcmp(how, "oops"))
		*(volatile int *)8 = 1;
	else if (!strcmp(how, "hang"))
		for (;;) /* long, as an emulator is slow at jumps */
			asm volatile(".rept 4096; nop; .endr");
	else if (!strcmp(how, "leak"))
		leak();
	else if (!strcmp(how, "use"))
		use_after_free();
	else if (!strcmp(how, "lock"))
		lock();
	else if (!strcmp(how, "race"))
		on_each_cpu(race, NULL, 1);
	else if (!strcmp(how, "refuse"))
		return -EINVAL;
	return 0;
}
module_init(crash_init);

static void __exit crash_exit(void)
{
}
module_exit(crash_exit);

MODULE_DESCRIPTION("Fails on request");
MODULE_LICENSE("GPL");
