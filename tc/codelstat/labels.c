// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See labels.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "labels.h"
#include "text.h"

int cs_labels_add(struct cs_labels *labels, int ifindex, uint32_t handle, uint32_t parent,
		  const char *text)
{
	struct cs_label *more = labels->label;

	if (labels->n == labels->room) {
		labels->room = labels->room ? 2 * labels->room : 64;
		more = reallocarray(more, labels->room, sizeof(*more));
		if (!more)
			return -1;
		labels->label = more;
	}
	more += labels->n++;
	more->ifindex = ifindex;
	more->handle = handle;
	more->parent = parent;
	memcpy(more->text, text, sizeof(more->text));
	return 0;
}

static int cs_compare_labels(const void *a, const void *b)
{
	const struct cs_label *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	return 0;
}

void cs_labels_sort(struct cs_labels *labels)
{
	if (labels->n)
		qsort(labels->label, labels->n, sizeof(*labels->label), cs_compare_labels);
}

const struct cs_label *cs_labels_find(const struct cs_labels *labels, int ifindex,
				      uint32_t handle)
{
	struct cs_label key = { .ifindex = ifindex, .handle = handle };

	if (!labels->n)
		return NULL;
	return bsearch(&key, labels->label, labels->n, sizeof(key), cs_compare_labels);
}

void cs_labels_place(char place[CS_PLACE_MAX], const struct cs_labels *labels, int ifindex,
		     uint32_t parent)
{
	uint32_t minors[CS_PLACE_DEPTH];
	const struct cs_label *above;
	char handle[CS_TEXT], *to;
	size_t n = 0;

	while (parent != TC_H_ROOT && cs_is_automatic(parent) && n < CS_PLACE_DEPTH) {
		above = cs_labels_find(labels, ifindex, TC_H_MAJ(parent));
		if (!above)
			break;
		minors[n++] = TC_H_MIN(parent);
		parent = above->parent;
	}
	to = stpcpy(place, cs_text_handle(handle, parent));
	while (n--)
		to += sprintf(to, ":%x", minors[n]);
}
