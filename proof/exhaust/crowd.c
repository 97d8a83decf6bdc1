// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The share of a flow among four and five, with packets of a byte: a flow is never in debt */
#include "share.h"

int main(void)
{
	explore_all((const struct setup[]) {
		{ .flows = 4, .quantum = 3, .longest = 1 },
		{ .flows = 5, .quantum = 1, .longest = 1 },
		{ .flows = 0 },
	});
	return 0;
}
