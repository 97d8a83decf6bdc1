// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See pick.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "pick.h"
#include "text.h"

static bool cs_pick_fits(const struct cs_pick *pick, const struct cs_qdisc *qdisc)
{
	if (qdisc->type == CS_OTHER || (pick->only && !pick->only(qdisc)))
		return false;
	/* one that returns has another automatic handle */
	if (pick->found && !cs_is_automatic(pick->handle) && qdisc->handle != pick->handle)
		return false;
	return !pick->parent || qdisc->parent == pick->parent;
}

static int cs_pick_none(const struct cs_pick *pick, const struct cs_snapshot *snapshot)
{
	if (pick->found)
		return CS_ABSENT;
	if (pick->parent)
		cs_error("%s: no such qdisc below that parent", snapshot->qdiscs->dev);
	else
		cs_error("%s: %s", snapshot->qdiscs->dev, pick->lack);
	return CS_NOTHING;
}

static int cs_pick_several(const struct cs_pick *pick, const struct cs_snapshot *snapshot)
{
	const struct cs_qdisc *qdisc = snapshot->qdiscs;
	char handle[CS_TEXT], parent[CS_TEXT];
	size_t i;

	cs_error("%s has several: choose by --handle or --parent", qdisc->dev);
	for (i = 0; i < snapshot->n_qdiscs; i++, qdisc++) {
		if (cs_pick_fits(pick, qdisc))
			fprintf(stderr, "  %s %s parent %s\n", qdisc->kind,
				cs_text_handle(handle, qdisc->handle),
				cs_text_handle(parent, qdisc->parent));
	}
	return CS_USAGE;
}

int cs_pick(struct cs_pick *pick, const struct cs_snapshot *snapshot,
	    const struct cs_qdisc **qdisc)
{
	size_t i, n = 0;

	for (i = 0; i < snapshot->n_qdiscs; i++) {
		if (!cs_pick_fits(pick, &snapshot->qdiscs[i]))
			continue;
		*qdisc = &snapshot->qdiscs[i];
		n++;
	}
	if (!n)
		return cs_pick_none(pick, snapshot);
	if (n > 1)
		return cs_pick_several(pick, snapshot);
	pick->found = true;
	pick->handle = (*qdisc)->handle;
	pick->parent = (*qdisc)->parent;
	return CS_OK;
}

bool cs_read_parent(uint32_t *parent, const char *text)
{
	unsigned long major, minor;
	char *end;

	if (!strcmp(text, "root")) {
		*parent = TC_H_ROOT;
		return true;
	}
	major = strtoul(text, &end, 16);
	if (end == text || *end != ':' || major > 0xffff)
		return false;
	text = end + 1;
	minor = strtoul(text, &end, 16);
	*parent = (uint32_t)(major << 16 | minor);
	return end != text && !*end && minor <= 0xffff && *parent;
}
