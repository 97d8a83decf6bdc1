// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The cost of finding the flows of 100,000 default qdiscs, in basic blocks: the compiler
 * calls __sanitizer_cov_trace_pc() in each of them, so that the count is the same on every
 * host. Prints KTAP.
 */
#include <stdlib.h>

#include "../../algorithm/unit/ktap.h"
#include "snapshot.h"

#define QDISCS		100000U
#define STEPS_MAX	(300ULL * QDISCS)	/* about 17 comparisons to each */

#define UNCOUNTED	__attribute__((no_sanitize_coverage))

static unsigned long long steps;

void __sanitizer_cov_trace_pc(void);

UNCOUNTED void __sanitizer_cov_trace_pc(void)
{
	if (steps++ != STEPS_MAX)
		return;		/* also for what is called from here */
	ktap_note("more than %llu basic blocks", STEPS_MAX);
	ktap_result(false, "flows of 100,000 default qdiscs");
	exit(ktap_status());
}

/* With @devices, qdiscs are on one device each; else all are on the first. */
static void ask_for_flows(struct cs_snapshot *snapshot, bool devices)
{
	bool none = true;
	size_t n;

	for (unsigned int i = 0; i < QDISCS; i++) {
		snapshot->qdiscs[i].ifindex = devices ? (int)i + 1 : 1;
		snapshot->qdiscs[i].parent = i;
	}
	steps = 0;
	for (unsigned int i = 0; i < QDISCS; i++)
		none &= !cs_snapshot_flows(snapshot, &snapshot->qdiscs[i], &n);
	ktap_note("%llu basic blocks", steps);
	ktap_result(none, devices ? "one to a device" : "all on one device");
}

int main(void)
{
	struct cs_snapshot snapshot = {};

	ktap_plan(2, false);
	while (snapshot.n_qdiscs < QDISCS)
		if (!cs_snapshot_add_qdisc(&snapshot))
			return 2;
	ask_for_flows(&snapshot, false);
	ask_for_flows(&snapshot, true);
	cs_snapshot_clear(&snapshot);
	return ktap_status();
}
