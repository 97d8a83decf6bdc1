// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The share of a flow among two and three, with debts of some packets */
#include "share.h"

int main(void)
{
	explore_all((const struct setup[]) {
		{ .flows = 2, .quantum = 4, .longest = 4 },
		{ .flows = 2, .quantum = 3, .longest = 8 },
		{ .flows = 3, .quantum = 2, .longest = 2 },
		{ .flows = 3, .quantum = 3, .longest = 2 },
		{ .flows = 0 },
	});
	return 0;
}
