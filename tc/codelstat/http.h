/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * As much of HTTP as a scraper needs: GET and HEAD, one answer to a connection. The protocol
 * is implemented by libmicrohttpd. The constants below bound the resources of clients.
 */
#ifndef CODELSTAT_HTTP_H
#define CODELSTAT_HTTP_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define HTTP_CONNECTIONS	32	/* at a time; the oldest makes room for a further one */
#define HTTP_CLOSING		16	/* more, until those that made room are closed */
#define HTTP_FILES		64	/* descriptors that the process needs for them */
#define HTTP_REQUEST_MEMORY	16384	/* bytes for the heads of a request and its answer */
#define HTTP_IDLE_SECONDS	5	/* without a byte, until a connection is closed */
#define HTTP_BODIES		3	/* shared answers; clients of the oldest make room for one more */
#define HTTP_SHARED_NS		1000000000ULL	/* as long others get the same, while it is being sent */

/**
 * struct http_answer - the answer to one request
 * @status: 200
 * @type: of @body
 * @body: written to
 */
struct http_answer {
	unsigned int status;
	const char *type;
	FILE *body;
};

/**
 * struct http_server - pages for http_serve()
 * @fd: listening socket; http_serve() closes it
 * @answer: to GET and HEAD, called in a thread of its own; @accept is the header, "" if the
 *	request has none
 * @shared: what the answer depends on, always the same pointer for the same: clients who ask in
 *	the same second, while one of them is being sent its answer, get the same; NULL: each
 *	gets its own
 * @context: for @answer
 * @ready: called when clients can be served
 * @stopped: whether SIGINT or SIGTERM has ended the server
 */
struct http_server {
	int fd;
	void (*answer)(void *context, const char *path, const char *accept,
		       struct http_answer *answer);
	const char *(*shared)(const char *path, const char *accept);
	void *context;
	void (*ready)(const void *context);
	bool (*stopped)(void);
};

/* listen.c: ADDR:PORT or [ADDR]:PORT, for freeaddrinfo(); NULL if it is neither */
struct addrinfo *http_address(const char *where);

/* A socket that listens there, and the beginning of its URL; -1 and errno */
int http_listen(const struct addrinfo *address, char *url, size_t size);

/* http.c: until a signal; 0, or -1 and errno, EMFILE if the process may not open HTTP_FILES */
int http_serve(const struct http_server *server);

/* http_accept.c: how much a client wants a media type ("text/plain"), 0 to 1, by its Accept
 * header, in which only the type itself counts, or -1 if the header does not name it.
 */
double http_preference(const char *accept, const char *type);

#endif /* CODELSTAT_HTTP_H */
