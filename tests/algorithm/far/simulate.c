// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * simulate OPTION... COURSE [OPTION... COURSE]...: what a scene gives, a line for each course and method
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static const char *const methods[] = {
	[SCENE_NONE] = "none", [SCENE_IDEAL] = "ideal", [SCENE_FAR] = "far",
};

static int usage(void)
{
	fputs("usage: simulate [down|up] [none|ideal|far] [NAME=NUMBER]... COURSE...\n"
	      "NAME is one of flows, rtt and rtt2 (ms), buffer, every, gap (ms), reno, tick (us), back, least, wave (ms), arrivals (bit/s), neighbours, path_at (s), path_by (ms), on, begin, end (s), seed.\n"
	      "COURSE is a file as in lab/courses, or a rate in bit/s.\n", stderr);
	return 2;
}

static bool assign(struct scene *scene, const char *name, double value)
{
	if (!strcmp(name, "flows"))
		scene->flows = value;
	else if (!strcmp(name, "rtt"))
		scene->rtt = value * WORLD_MS;
	else if (!strcmp(name, "rtt2"))
		scene->rtt2 = value * WORLD_MS;
	else if (!strcmp(name, "buffer"))
		scene->buffer = value;
	else if (!strcmp(name, "every"))
		scene->every = value;
	else if (!strcmp(name, "gap"))
		scene->gap = value * WORLD_MS;
	else if (!strcmp(name, "reno"))
		scene->reno = value;
	else if (!strcmp(name, "tick"))
		scene->tick = value * 1000;
	else if (!strcmp(name, "back"))
		scene->back = value * WORLD_MS;
	else if (!strcmp(name, "least"))
		scene->back_least = value * WORLD_MS;
	else if (!strcmp(name, "wave"))
		scene->wave = value * WORLD_MS;
	else if (!strcmp(name, "arrivals"))
		scene->arrivals = value;
	else if (!strcmp(name, "neighbours"))
		scene->neighbours = value;
	else if (!strcmp(name, "path_at"))
		scene->path_at = value * WORLD_SEC;
	else if (!strcmp(name, "path_by"))
		scene->path_by = value * WORLD_MS;
	else if (!strcmp(name, "on"))
		scene->on = value * WORLD_SEC;
	else if (!strcmp(name, "begin"))
		scene->begin = value * WORLD_SEC;
	else if (!strcmp(name, "end"))
		scene->end = value * WORLD_SEC;
	else if (!strcmp(name, "seed"))
		scene->seed = value;
	else
		return false;
	return scene->flows >= 1 && scene->flows + scene->neighbours <= WORLD_FLOWS && scene->every >= 1 && scene->every <= 16;
}

static bool word(struct scene *scene, const char *arg)
{
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(arg, methods[i])) {
			scene->method = i;
			return true;
		}
	if (strcmp(arg, "down") && strcmp(arg, "up"))
		return false;
	scene->down = !strcmp(arg, "down");
	return true;
}

static bool follow(struct scene *scene, const char *arg)
{
	const char *name = strrchr(arg, '/') ? strrchr(arg, '/') + 1 : arg;
	struct scene_result r;
	char *rest;
	double rate = strtod(arg, &rest);

	if (!*rest && rate > 0)
		course_add(&scene->course, 0, rate);
	else if (!course_read(&scene->course, arg))
		return false;
	scene_run(scene, &r);
	course_free(&scene->course);
	printf("%-22s %-4s %-5s share %5.1f%% own %5.1f%%  delay p50 %6.1f p95 %6.1f p99 %6.1f ms  ping p95 %6.1f ms  path %5.1f ms\n",
	       name, scene->down ? "down" : "up", methods[scene->method], 100 * r.share, 100 * r.own, r.p50, r.p95, r.p99,
	       r.ping95, r.path);
	return true;
}

int main(int argc, char **argv)
{
	struct scene scene = scene_usual();
	bool any = false;
	char *value;
	int i;

	for (i = 1; i < argc; i++) {
		value = strchr(argv[i], '=');
		if (value) {
			*value++ = '\0';
			if (!assign(&scene, argv[i], atof(value)))
				return usage();
		} else if (!word(&scene, argv[i])) {
			any = true;
			if (!follow(&scene, argv[i]))
				return usage();
		}
	}
	return any ? 0 : usage();
}
