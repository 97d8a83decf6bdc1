// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel changes an instruction on one processor while others may run it: it puts an int3
 * at its first byte, and takes it away when the rest is written. A thread of QEMU may read that
 * int3 and be done with its translation only after the last byte was written. It is not told,
 * and executes an int3 that no longer exists, possibly for ever (seen with QEMU 7.2). The
 * kernel knows of no reason, and dies.
 *
 * Such an int3 is known by another byte at its place. Do what the instruction there does: the
 * kernel changes only jumps, calls, returns and instructions that do nothing.
 */
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define LONGEST 5

static unsigned long met;
module_param(met, ulong, 0444);
MODULE_PARM_DESC(met, "breakpoints that did not exist");

static bool nothing(const u8 *code, int len)
{
	static const u8 nops[2][LONGEST] = { { 0x66, 0x90 }, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } };

	return !memcmp(code, nops[len == LONGEST], len);
}

/* The kernel leaves room for this on the stack of every int3. */
static void push(struct pt_regs *regs, unsigned long value)
{
	regs->sp -= sizeof(value);
	*(unsigned long *)regs->sp = value;
}

static unsigned long pop(struct pt_regs *regs)
{
	unsigned long value = *(unsigned long *)regs->sp;

	regs->sp += sizeof(value);
	return value;
}

static bool emulate(struct pt_regs *regs, unsigned long at, const u8 *code)
{
	s32 far;

	memcpy(&far, code + 1, sizeof(far));
	switch (*code) {
	case 0xe9: /* jmp */
		regs->ip = at + LONGEST + far;
		return true;
	case 0xeb: /* short jmp */
		regs->ip = at + 2 + (s8)code[1];
		return true;
	case 0xe8: /* call */
		push(regs, at + LONGEST);
		regs->ip = at + LONGEST + far;
		return true;
	case 0xc3: /* ret */
		regs->ip = pop(regs);
		return true;
	}
	if (nothing(code, 2))
		regs->ip = at + 2;
	else if (nothing(code, LONGEST))
		regs->ip = at + LONGEST;
	else
		return false;
	return true;
}

static int notified(struct notifier_block *self, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	unsigned long at = regs->ip - 1;
	u8 code[LONGEST];

	if (what != DIE_INT3 || user_mode(regs) ||
	    copy_from_kernel_nofault(code, (void *)at, sizeof(code)) || *code == 0xcc ||
	    !emulate(regs, at, code))
		return NOTIFY_DONE;
	met++;
	return NOTIFY_STOP;
}

static struct notifier_block notifier = { .notifier_call = notified };

static int __init stale_int3_init(void)
{
	return register_die_notifier(&notifier);
}
module_init(stale_int3_init);

static void __exit stale_int3_exit(void)
{
	unregister_die_notifier(&notifier);
}
module_exit(stale_int3_exit);

MODULE_DESCRIPTION("Survives QEMU's stale breakpoints");
MODULE_LICENSE("GPL");
