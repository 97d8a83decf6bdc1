// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See http_body.h */
#include <stdlib.h>

#include "http_body.h"
#include "snapshot.h"

struct http_body *http_body_find(struct http_body *list, const char *kind)
{
	const uint64_t now = cs_now(CLOCK_MONOTONIC);

	for (; list && now - list->born < HTTP_SHARED_NS; list = list->older)
		if (list->kind == kind)
			return list;
	return NULL;
}

/* The last connection has it, or its client has gone. */
static void http_body_free(void *context)
{
	struct http_body *body = context, **at = body->list;

	while (*at != body)
		at = &(*at)->older;
	*at = body->older;
	free(body->text);
	free(body);
}

struct http_body *http_body_add(struct http_body **list, const char *kind, char *text, size_t size)
{
	struct http_body *body = malloc(sizeof(*body));

	if (!body) {
		free(text);
		return NULL;
	}
	*body = (struct http_body) {
		.older = *list,
		.list = list,
		.kind = kind,
		.born = cs_now(CLOCK_MONOTONIC),
		.text = text,
	};
	body->response = MHD_create_response_from_buffer_with_free_callback_cls(size, text,
										http_body_free,
										body);
	if (!body->response) {
		free(text);
		free(body);
		return NULL;
	}
	*list = body;
	return body;
}

struct http_body *http_body_surplus(struct http_body *list)
{
	unsigned int n;

	for (n = 1; list && list->older; n++)
		list = list->older;
	return list && n >= HTTP_BODIES ? list : NULL;
}
