// SPDX-License-Identifier: GPL-2.0
/* Does what the runner must notice: insmod crash.ko how=warn|oops|hang|leak|refuse|nothing */
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *how = "nothing";
module_param(how, charp, 0);
MODULE_PARM_DESC(how, "warn, oops, hang, leak, refuse or nothing");

static void __init leak(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	/* Nobody may notice at build time either. */
	OPTIMIZER_HIDE_VAR(p);
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
