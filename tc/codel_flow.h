/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Names and counts of a flow, for readers */
#ifndef CODEL_FLOW_H
#define CODEL_FLOW_H

#include "../uapi/codel_uapi.h"

/* AF_UNSPEC if the protocol has no such addresses */
int codel_family(const struct codel_tuple *tuple);

/* "tcp"; NULL if it is not known here */
const char *codel_ip_protocol(unsigned int number);

/* Bytes, packets, drops and marks, as members of the object that is open */
void codel_json_flow_counts(const struct codel_flow_stats *flow);

#endif /* CODEL_FLOW_H */
