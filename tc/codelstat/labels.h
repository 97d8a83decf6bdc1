/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The names of links, and the kinds and places of qdiscs that may have children */
#ifndef CODELSTAT_LABELS_H
#define CODELSTAT_LABELS_H

#include <net/if.h>

#include "snapshot.h"

/**
 * struct cs_label - a link or a qdisc
 * @ifindex: of the link
 * @handle: of the qdisc; 0 of a link
 * @parent: of the qdisc
 * @text: name or kind
 */
struct cs_label {
	int ifindex;
	uint32_t handle;
	uint32_t parent;
	char text[IFNAMSIZ];
};

struct cs_labels {
	struct cs_label *label;
	size_t n;
	size_t room;
};

/* -1 and ENOMEM */
int cs_labels_add(struct cs_labels *labels, int ifindex, uint32_t handle, uint32_t parent,
		  const char *text);

void cs_labels_sort(struct cs_labels *labels);

/* Of labels that are sorted; NULL if there is none */
const struct cs_label *cs_labels_find(const struct cs_labels *labels, int ifindex,
				      uint32_t handle);

/* See @place of struct cs_qdisc; @labels are the qdiscs that may be above it. */
void cs_labels_place(char place[CS_PLACE_MAX], const struct cs_labels *labels, int ifindex,
		     uint32_t parent);

#endif /* CODELSTAT_LABELS_H */
