/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Answers that several clients are sent at a time. libmicrohttpd counts the connections that send
 * a response, and frees it after the last one; this list finds it for the next connection.
 * All of it is used by the thread of libmicrohttpd alone.
 */
#ifndef CODELSTAT_HTTP_BODY_H
#define CODELSTAT_HTTP_BODY_H

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

#include "http.h"

/**
 * struct http_body - an answer that is being sent
 * @older: the next one in the list
 * @list: the beginning of the list
 * @kind: see http_server.shared
 * @born: when, ns (CLOCK_MONOTONIC)
 * @response: of libmicrohttpd
 * @text: its memory
 */
struct http_body {
	struct http_body *older;
	struct http_body **list;
	const char *kind;
	uint64_t born;
	struct MHD_Response *response;
	char *text;
};

/* One of this kind that is no older than HTTP_SHARED_NS, or NULL */
struct http_body *http_body_find(struct http_body *list, const char *kind);

/* Take @text over, for a response that the caller gives back with MHD_destroy_response();
 * NULL and ENOMEM, and @text is freed.
 */
struct http_body *http_body_add(struct http_body **list, const char *kind, char *text,
				size_t size);

/* The oldest one, if there are HTTP_BODIES or more; else NULL */
struct http_body *http_body_surplus(struct http_body *list);

#endif /* CODELSTAT_HTTP_BODY_H */
