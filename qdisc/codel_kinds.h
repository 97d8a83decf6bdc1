/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Names under which a module serves: its own always, and the plain one where the
 * running kernel leaves it free.
 */
#ifndef CODEL_KINDS_H
#define CODEL_KINDS_H

#include <linux/printk.h>
#include <linux/string.h>
#include <net/pkt_sched.h>

#include "codel_far_device.h"

/**
 * struct codel_kinds - the two registrations of a module
 * @own: operations under the name of this project, "codel_oot"
 * @plain: the same under the name that the kernel may have taken, "codel"
 * @has_plain: @plain is registered
 */
struct codel_kinds {
	struct Qdisc_ops *own;
	struct Qdisc_ops plain;
	bool has_plain;
};

static inline int codel_kinds_register_both(struct codel_kinds *kinds, const char *plain,
					    bool takeover)
{
	int err = register_qdisc(kinds->own);

	if (err)
		return err;
	kinds->plain = *kinds->own;
	kinds->plain.next = NULL;
	strscpy(kinds->plain.id, plain, sizeof(kinds->plain.id));
	kinds->has_plain = takeover && !register_qdisc(&kinds->plain);
	return 0;
}

/**
 * codel_kinds_register() - announce the qdisc to the kernel
 * @kinds: with @own set
 * @plain: the plain name
 * @takeover: try for the plain name
 *
 * Return: 0; an error only if the own name could not be registered.
 */
static inline int codel_kinds_register(struct codel_kinds *kinds,
				       const char *plain, bool takeover)
{
	int err = register_netdevice_notifier(&codel_far_notifier);

	if (err)
		return err;
	err = codel_kinds_register_both(kinds, plain, takeover);
	if (err) {
		unregister_netdevice_notifier(&codel_far_notifier);
		return err;
	}
	if (kinds->has_plain)
		pr_info("serving %s and %s\n", kinds->own->id, plain);
	else
		pr_info("serving %s; %s %s\n", kinds->own->id, plain,
			takeover ? "is served in-tree" : "was declined");
	return 0;
}

static inline void codel_kinds_unregister(struct codel_kinds *kinds)
{
	if (kinds->has_plain)
		unregister_qdisc(&kinds->plain);
	unregister_qdisc(kinds->own);
	unregister_netdevice_notifier(&codel_far_notifier);
}

#endif /* CODEL_KINDS_H */
