// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Requests of HTTP/1: what is asked, and which type of answer is liked best */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http.h"

bool http_complete(const char *head, size_t length)
{
	return memmem(head, length, "\r\n\r\n", 4) || memmem(head, length, "\n\n", 2);
}

/* The line that begins at *@at, ended there by a NUL; *@at is the next */
static char *http_line(char **at)
{
	char *line = *at;
	char *end = strchr(line, '\n');

	*at = end ? end + 1 : line + strlen(line);
	if (!end)
		return line;
	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	return line;
}

/* The value of a header, if the line is one of this name */
static char *http_header(char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(line, name, length) || line[length] != ':')
		return NULL;
	line += length + 1;
	return line + strspn(line, " \t");
}

/* Without "http://host", which proxies are sent, and without a query */
static const char *http_path(char *target)
{
	if (!strncasecmp(target, "http://", 7)) {
		target = strchr(target + 7, '/');
		if (!target)
			return "/";
	}
	target[strcspn(target, "?#")] = '\0';
	return target;
}

/* "METHOD TARGET HTTP/1.x" */
static int http_request_line(char *line, struct http_request *request)
{
	const char *method = strsep(&line, " ");
	char *target = strsep(&line, " ");
	const char *version = line;

	if (!version || strncmp(version, "HTTP/", 5) || !*method ||
	    (*target != '/' && strncasecmp(target, "http://", 7)))
		return 400;
	if (strcmp(version, "HTTP/1.1") && strcmp(version, "HTTP/1.0"))
		return 505;
	request->head = !strcmp(method, "HEAD");
	if (!request->head && strcmp(method, "GET"))
		return 405;
	request->path = http_path(target);
	return 200;
}

int http_parse(char *head, size_t length, struct http_request *request)
{
	char *accept, *line;
	int status;

	*request = (struct http_request) { .path = "", .accept = "" };
	if (memchr(head, '\0', length))
		return 400;
	head[length] = '\0';

	status = http_request_line(http_line(&head), request);
	while (status == 200 && *(line = http_line(&head))) {
		accept = http_header(line, "Accept");
		if (accept)
			request->accept = accept;
	}
	return status;
}

/* The q of "; version=1.0.0; q=0.5" */
static double http_weight(const char *parameters)
{
	const char *at = parameters;

	while ((at = strchr(at, ';'))) {
		at += 1 + strspn(at + 1, " \t");
		if (!strncasecmp(at, "q=", 2))
			return strtod(at + 2, NULL);
	}
	return 1;
}

double http_preference(const char *accept, const char *type)
{
	double weight, best = -1;
	char *copy = strdup(accept);
	char *rest = copy, *range;
	size_t length = strlen(type);

	while ((range = strsep(&rest, ","))) {
		range += strspn(range, " \t");
		if (strncasecmp(range, type, length) || !strchr("; \t", range[length]))
			continue;
		weight = http_weight(range + length);
		if (weight > best)
			best = weight;
	}
	free(copy);
	return best;
}
