/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * As much of an HTTP server as a scraper needs: GET and HEAD, one answer to a
 * connection, nothing read but the request's head. What a client can take of this
 * process is bounded: the constants below.
 */
#ifndef CODELSTAT_HTTP_H
#define CODELSTAT_HTTP_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define HTTP_CONNECTIONS	32	/* at a time; one that still asks makes room */
#define HTTP_ANSWERS		8	/* of them, that take their answer slowly */
#define HTTP_SEND_BUFFER	8192	/* bytes for each in the kernel: the rest is here */
#define HTTP_REQUEST_MAX	8192	/* bytes of a request's head */
#define HTTP_REQUEST_SECONDS	5	/* until it has come */
#define HTTP_ANSWER_SECONDS	10	/* until the answer is taken */
#define HTTP_LINGER_SECONDS	1	/* for what else a client sends */
#define HTTP_PAUSE_SECONDS	1	/* without descriptors, until the next try to accept */

/**
 * struct http_request - what was asked, pointers into the head that was read
 * @path: without the query
 * @accept: the header, "" if it was not sent
 * @head: no body is wanted
 */
struct http_request {
	const char *path;
	const char *accept;
	bool head;
};

/**
 * struct http_answer - what is answered
 * @status: 200
 * @type: of @body
 * @body: written to
 */
struct http_answer {
	int status;
	const char *type;
	FILE *body;
};

/**
 * struct http_server - what is served
 * @fd: listening socket, not blocking
 * @answer: to GET and HEAD
 * @context: for it
 * @stopped: whether a signal (SIGINT, SIGTERM) has come, which ends the server
 */
struct http_server {
	int fd;
	void (*answer)(void *context, const struct http_request *request,
		       struct http_answer *answer);
	void *context;
	bool (*stopped)(void);
};

/* listen.c: ADDR:PORT or [ADDR]:PORT, for freeaddrinfo(); NULL if it is neither */
struct addrinfo *http_address(const char *where);

/* A socket that listens there, and the beginning of its URL; -1 and errno */
int http_listen(const struct addrinfo *address, char *url, size_t size);

/* http.c: until a signal; 0, or -1 and errno */
int http_serve(const struct http_server *server);

/* http_request.c: the status of what is wrong with a request's head, or 200. The head is
 * taken apart in place; @request is complete even of a bad one.
 */
int http_parse(char *head, size_t length, struct http_request *request);

/* Whether a request's head has ended, at @length or before */
bool http_complete(const char *head, size_t length);

/* How much a client wants a media type ("text/plain"), 0 to 1, by its Accept header, in
 * which only the type itself counts, or -1 if that is not there.
 */
double http_preference(const char *accept, const char *type);

#endif /* CODELSTAT_HTTP_H */
