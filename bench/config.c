// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A run's configuration: one line of key=value.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/udp.h>

#include "bench.h"

#define BENCH_SIZE_MIN	(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr))

/**
 * struct bench_key - a number that can be set
 * @name: its key
 * @offset: of the u32 in struct bench_config
 * @min: smallest legal value
 * @max: largest legal value
 */
struct bench_key {
	const char *name;
	size_t offset;
	u32 min;
	u32 max;
};

#define BENCH_KEY(key, least, most) {					\
	.name = #key, .offset = offsetof(struct bench_config, key),	\
	.min = (least), .max = (most),					\
}

static const struct bench_key bench_keys[] = {
	BENCH_KEY(packets, 1, 10 * 1000 * 1000),
	BENCH_KEY(warmup, 0, 10 * 1000 * 1000),
	BENCH_KEY(budget, 0, 1000 * 1000),
	BENCH_KEY(flows, 1, 1 << 20),
	BENCH_KEY(size, BENCH_SIZE_MIN, ETH_FRAME_LEN),
	BENCH_KEY(short_size, 0, ETH_FRAME_LEN),
	BENCH_KEY(fill, 0, 100 * 1000),
	BENCH_KEY(burst, 0, 1000),
	BENCH_KEY(hash, 0, 1),
	BENCH_KEY(ecn, 0, 1),
	BENCH_KEY(shared, 0, 1),
	BENCH_KEY(chunk, 1, 10000),
	BENCH_KEY(each, 0, 1),
	BENCH_KEY(dump, 0, 1000),
	BENCH_KEY(link, 0, 1),
};

static int bench_config_number(struct bench_config *config, const char *name,
			       const char *text)
{
	unsigned int value;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(bench_keys); i++)
		if (!strcmp(bench_keys[i].name, name))
			break;
	if (i == ARRAY_SIZE(bench_keys))
		return -ENOENT;
	err = kstrtouint(text, 10, &value);
	if (err)
		return err;
	if (value < bench_keys[i].min || value > bench_keys[i].max)
		return -ERANGE;
	*(u32 *)((char *)config + bench_keys[i].offset) = value;
	return 0;
}

/**
 * bench_config_parse() - read a line
 * @config: is written
 * @line: is taken apart
 *
 * Return: 0; -ENOENT for an unknown key, -ERANGE or -EINVAL for a bad value.
 */
int bench_config_parse(struct bench_config *config, char *line)
{
	char *word;

	*config = (struct bench_config) {
		.packets = 10000, .flows = 1, .size = ETH_FRAME_LEN,
		.hash = 1, .shared = 1, .chunk = 256,
	};
	while ((word = strsep(&line, "\n "))) {
		char *value = strchr(word, '=');
		int err;

		if (!*word)
			continue;
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		if (!strcmp(word, "dev"))
			err = strscpy(config->dev, value, sizeof(config->dev));
		else
			err = bench_config_number(config, word, value);
		if (err < 0)
			return err;
	}
	return 0;
}
