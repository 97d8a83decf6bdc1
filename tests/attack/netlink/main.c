// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * attack churn SEED COUNT: COUNT life cycles, see churn.c.
 *
 * attack day SEED COUNT: COUNT minutes, see day.c.
 *
 * attack requests SEED COUNT: COUNT generated requests to the qdiscs of d0, d1 and d2, half of them
 * mutated, with traffic at the same time. Prints how many of each sort had which answer, a line
 * each: SORT, errno or 0, number. Status 1 if a request had no answer, or
 *
 * - a refused change, or a request that only reads, has changed the options of the qdisc;
 * - the options of a dump are refused as a change, or lead to other options.
 *
 * Odd seeds change MTUs as well. With a rate, the least target and so the least ceiling follow
 * from the MTU: there the options of a dump may be refused later.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

#define ANSWERS		(ANSWER_NONE + 1)
#define PAUSE_MAX	4000	/* us between bursts */

static unsigned int counts[32][ANSWERS];
static unsigned int compared, repeated, faults;

static void fault(const char *what, const char *sort, int answer)
{
	printf("fault: %s: %s, answer %d\n", sort, what, answer);
	faults++;
}

static bool same(const struct state *a, const struct state *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* Print kind and options as a message has them, to send them again. */
static void show(const char *what, const struct state *state)
{
	printf("fault: %s", what);
	for (size_t i = 0; i < state->len; i++)
		printf("%s%02x", i % 4 ? "" : " ", state->bytes[i]);
	putchar('\n');
}

/* Send the options of the qdisc back to it: the same options are in force afterwards. */
static void repeat_options(const struct place *at, const char *sort)
{
	struct state before, after;
	struct message m;
	int answer;

	if (!state_read(at, &before))
		return;
	place_begin(&m, at, RTM_NEWQDISC, 0);
	memcpy(m.bytes + m.head.nlmsg_len, before.bytes, before.len);
	m.head.nlmsg_len += before.len;
	answer = talk(&m);
	repeated++;
	if (state_read(at, &after) && !answer && same(&before, &after))
		return;
	fault(answer ? "the options of a dump are refused as a change" :
	      "the options of a dump lead to others as a change", sort, answer);
	show("before", &before);
	show("after ", &after);
}

/*
 * Whether a request changes no option if this is the answer. The core looks at a size table
 * after the change, and refuses then what has been done. A class of htb goes with its qdisc.
 */
static bool changes_nothing(const struct message *m, int answer)
{
	const size_t head = NLMSG_LENGTH(sizeof(struct tcmsg));
	uint16_t type = m->head.nlmsg_type;

	if (m->head.nlmsg_len > head &&
	    attribute(m->bytes + head, m->head.nlmsg_len - head, TCA_STAB))
		return false;
	return answer || (type != RTM_NEWQDISC && type != RTM_DELQDISC &&
			  type != RTM_DELTCLASS && type != RTM_NEWLINK);
}

static void request(void)
{
	const struct place *at = place_random();
	unsigned int ticket = random_below(100), i = 0;
	bool compare = !one_in(4), had;
	struct state before, after;
	struct message m;
	int answer;

	for (; ticket >= sorts[i].weight; i++)
		ticket -= sorts[i].weight;
	sorts[i].make(&m, at);
	if (m.head.nlmsg_type != RTM_NEWLINK && one_in(2))
		mutate(&m);
	had = compare && state_read(at, &before);
	answer = talk(&m);
	counts[i][answer < ANSWERS ? answer : ANSWER_NONE]++;
	if (answer >= ANSWER_NONE)
		fault("no answer", sorts[i].name, answer);
	if (had && changes_nothing(&m, answer)) {
		compared++;
		if (!state_read(at, &after) || !same(&before, &after))
			fault("the options are others afterwards", sorts[i].name, answer);
	}
	if (!mtu_changes && one_in(64))
		repeat_options(at, sorts[i].name);
}

static void report(void)
{
	for (unsigned int i = 0; i < sorts_count; i++)
		for (unsigned int answer = 0; answer < ANSWERS; answer++) {
			const char *name = answer ? strerrorname_np(answer) : "0";

			if (counts[i][answer])
				printf("%s;%s;%u\n", sorts[i].name, name ? name : "none",
				       counts[i][answer]);
		}
	printf("compared;0;%u\nrepeated;0;%u\n", compared, repeated);
}

static int requests(uint64_t seed, unsigned long count)
{
	pid_t child;

	if (!places_find())
		return 2;
	random_seed(seed);
	mtu_changes = seed & 1;
	talk_open();
	child = traffic_start(seed, 3, PAUSE_MAX);
	while (count-- && faults < 20)
		request();
	report();
	if (!traffic_stop(child))
		fault("has ended", "traffic", 0);
	return !!faults;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t seed = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;

	if (count && !strcmp(argv[1], "requests"))
		return requests(seed, count);
	if (count && !strcmp(argv[1], "churn"))
		return churn(seed, count);
	if (count && !strcmp(argv[1], "day"))
		return day(seed, count);
	fprintf(stderr, "usage: attack requests|churn|day SEED COUNT\n");
	return 2;
}
