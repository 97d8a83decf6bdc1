// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * A server in one thread: a connection is read, answered and closed, each with a
 * deadline. There are few of them. A new one takes the place of the oldest in which
 * something is still awaited from the client, so that idle ones keep nobody out.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"

#define NSEC	1000000000ULL

enum http_state {
	HTTP_FREE,
	HTTP_READING,
	HTTP_ANSWERING,
	HTTP_LINGERING,	/* answered: closing now could take back what is under way */
};

struct http_connection {
	enum http_state state;
	int fd;
	uint64_t began;
	uint64_t deadline;
	size_t length;
	char request[HTTP_REQUEST_MAX + 1];
	char *answer;
	size_t size;
	size_t sent;
};

/**
 * struct http_loop - the server at work
 * @server: what is served
 * @pause: no connection is accepted before, ns; 0 unless descriptors have run out
 * @at: connections
 */
struct http_loop {
	const struct http_server *server;
	uint64_t pause;
	struct http_connection at[HTTP_CONNECTIONS];
};

static uint64_t http_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC + (uint64_t)now.tv_nsec;
}

static void http_enter(struct http_connection *c, enum http_state state,
		       unsigned int seconds)
{
	c->state = state;
	c->began = http_now();
	c->deadline = c->began + seconds * NSEC;
}

static void http_close(struct http_connection *c)
{
	close(c->fd);
	free(c->answer);
	c->answer = NULL;
	c->state = HTTP_FREE;
}

/* The one that has been in a state for longest, and how many are in it */
static struct http_connection *http_oldest(struct http_loop *loop, enum http_state state,
					   size_t *count)
{
	struct http_connection *oldest = NULL;

	*count = 0;
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		struct http_connection *c = &loop->at[i];

		if (c->state != state)
			continue;
		++*count;
		if (!oldest || c->began < oldest->began)
			oldest = c;
	}
	return oldest;
}

/* A free place, made if need be. There is one: few answer at a time. */
static struct http_connection *http_place(struct http_loop *loop)
{
	static const enum http_state order[] = {
		HTTP_FREE, HTTP_LINGERING, HTTP_READING, HTTP_ANSWERING,
	};
	struct http_connection *c = NULL;
	size_t count;

	for (size_t i = 0; !c; i++)
		c = http_oldest(loop, order[i], &count);
	if (c->state != HTTP_FREE)
		http_close(c);
	return c;
}

/* Without a descriptor or memory, the next connection takes the place of one that awaits
 * something from its client. If there is none, poll() would report the same connection at
 * once, again and again: nothing is accepted for a while.
 */
static void http_not_accepted(struct http_loop *loop, int error)
{
	struct http_connection *c;
	size_t count;

	if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM)
		return;		/* the connection has gone again */
	c = http_oldest(loop, HTTP_LINGERING, &count);
	if (!c)
		c = http_oldest(loop, HTTP_READING, &count);
	if (c)
		http_close(c);
	else
		loop->pause = http_now() + HTTP_PAUSE_SECONDS * NSEC;
}

static void http_accept(struct http_loop *loop)
{
	const int buffer = HTTP_SEND_BUFFER;
	struct http_connection *c;
	int fd;

	fd = accept4(loop->server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		http_not_accepted(loop, errno);
		return;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	c = http_place(loop);
	c->fd = fd;
	c->length = 0;
	c->size = 0;
	c->sent = 0;
	http_enter(c, HTTP_READING, HTTP_REQUEST_SECONDS);
}

static const char *http_reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 400: return "Bad Request";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 431: return "Request Header Fields Too Large";
	case 500: return "Internal Server Error";
	case 505: return "HTTP Version Not Supported";
	default: return "Error";
	}
}

/* The answer to a request, its body in @body */
static void http_body(const struct http_server *server, const struct http_request *request,
		      struct http_answer *answer, char **body, size_t *size)
{
	answer->type = "text/plain; charset=utf-8";
	answer->body = open_memstream(body, size);
	if (!answer->body) {
		answer->status = 500;
		return;
	}
	if (answer->status == 200)
		server->answer(server->context, request, answer);
	else
		fprintf(answer->body, "%d %s\n", answer->status,
			http_reason(answer->status));
	fclose(answer->body);
}

/* Head and body into one buffer: a head without its body if there is no memory */
static void http_compose(struct http_connection *c, const struct http_answer *answer,
			 const char *body, size_t size, bool head)
{
	FILE *out = open_memstream(&c->answer, &c->size);

	if (!out)
		return;
	fprintf(out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
		answer->status, http_reason(answer->status), answer->type, size);
	if (answer->status == 405)
		fputs("Allow: GET, HEAD\r\n", out);
	fputs("Cache-Control: no-store\r\nConnection: close\r\n\r\n", out);
	if (!head && size)
		fwrite(body, 1, size, out);
	fclose(out);
}

static void http_answer(struct http_loop *loop, struct http_connection *c, int status)
{
	struct http_request request = { .path = "", .accept = "" };
	struct http_answer answer = { .status = status };
	struct http_connection *slow;
	size_t size = 0, slow_ones;
	char *body = NULL;

	if (status == 200)
		answer.status = http_parse(c->request, c->length, &request);
	http_body(loop->server, &request, &answer, &body, &size);
	http_compose(c, &answer, body, size, request.head);
	free(body);

	slow = http_oldest(loop, HTTP_ANSWERING, &slow_ones);
	if (slow_ones >= HTTP_ANSWERS)
		http_close(slow);
	http_enter(c, HTTP_ANSWERING, HTTP_ANSWER_SECONDS);
}

static void http_send(struct http_connection *c)
{
	ssize_t n = send(c->fd, c->answer + c->sent, c->size - c->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		http_close(c);
		return;
	}
	c->sent += (size_t)n;
	if (c->sent < c->size)
		return;
	free(c->answer);
	c->answer = NULL;
	shutdown(c->fd, SHUT_WR);
	http_enter(c, HTTP_LINGERING, HTTP_LINGER_SECONDS);
}

static void http_read(struct http_loop *loop, struct http_connection *c)
{
	ssize_t n = recv(c->fd, c->request + c->length, HTTP_REQUEST_MAX - c->length, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		http_close(c);
		return;
	}
	c->length += (size_t)n;
	if (http_complete(c->request, c->length))
		http_answer(loop, c, 200);
	else if (c->length == HTTP_REQUEST_MAX)
		http_answer(loop, c, 431);
	else
		return;
	http_send(c);
}

/* What is still sent is of no interest */
static void http_linger(struct http_connection *c)
{
	ssize_t n = recv(c->fd, c->request, HTTP_REQUEST_MAX, 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		http_close(c);
}

static void http_step(struct http_loop *loop, struct http_connection *c)
{
	switch (c->state) {
	case HTTP_READING:
		http_read(loop, c);
		break;
	case HTTP_ANSWERING:
		http_send(c);
		break;
	case HTTP_LINGERING:
		http_linger(c);
		break;
	case HTTP_FREE:
		break;
	}
}

/* What poll() waits for: at most as many descriptors as are open, which RLIMIT_NOFILE allows */
struct http_interest {
	struct pollfd fds[HTTP_CONNECTIONS + 1];
	struct http_connection *of[HTTP_CONNECTIONS + 1];	/* NULL: the listening socket */
	nfds_t n;
	uint64_t deadline;
};

static void http_add_interest(struct http_interest *interest, struct http_connection *c,
			      int fd, short events)
{
	interest->fds[interest->n] = (struct pollfd) { .fd = fd, .events = events };
	interest->of[interest->n++] = c;
}

static void http_interest(struct http_loop *loop, struct http_interest *interest)
{
	interest->n = 0;
	interest->deadline = UINT64_MAX;
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		struct http_connection *c = &loop->at[i];

		if (c->state == HTTP_FREE)
			continue;
		http_add_interest(interest, c, c->fd,
				  c->state == HTTP_ANSWERING ? POLLOUT : POLLIN);
		if (c->deadline < interest->deadline)
			interest->deadline = c->deadline;
	}
	if (loop->pause <= http_now())
		http_add_interest(interest, NULL, loop->server->fd, POLLIN);
	else if (loop->pause < interest->deadline)
		interest->deadline = loop->pause;
}

/* Until something happens, or a deadline, or a signal: the only place where one arrives */
static int http_wait(struct http_interest *interest, const sigset_t *signals)
{
	const uint64_t deadline = interest->deadline, now = http_now();
	const uint64_t left = deadline > now ? deadline - now : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left / NSEC),
		.tv_nsec = (long)(left % NSEC),
	};

	return ppoll(interest->fds, interest->n, deadline == UINT64_MAX ? NULL : &timeout,
		     signals);
}

static void http_expire(struct http_loop *loop)
{
	const uint64_t now = http_now();

	for (size_t i = 0; i < HTTP_CONNECTIONS; i++)
		if (loop->at[i].state != HTTP_FREE && now >= loop->at[i].deadline)
			http_close(&loop->at[i]);
}

static int http_run(struct http_loop *loop, const sigset_t *signals)
{
	struct http_interest interest;

	while (!loop->server->stopped()) {
		http_interest(loop, &interest);
		if (http_wait(&interest, signals) < 0) {
			if (errno != EINTR)
				return -1;
			interest.n = 0;		/* nothing is known of them */
		}
		for (nfds_t i = 0; i < interest.n; i++) {
			if (!interest.fds[i].revents)
				continue;
			if (interest.of[i])
				http_step(loop, interest.of[i]);
			else
				http_accept(loop);
		}
		http_expire(loop);
	}
	return 0;
}

int http_serve(const struct http_server *server)
{
	struct http_loop *loop = calloc(1, sizeof(*loop));
	sigset_t block, before;
	int result;

	if (!loop)
		return -1;
	loop->server = server;
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &before);
	result = http_run(loop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);

	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		if (loop->at[i].state != HTTP_FREE)
			http_close(&loop->at[i]);
	}
	free(loop);
	return result;
}
