// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The exporter's pages over HTTP: libmicrohttpd in one thread, signals in the other */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "http_body.h"

/**
 * struct http_clients - the sockets of all connections, the oldest first
 * @n: how many
 * @fds: the sockets
 * @bodies: the shared answers that they are sent, or were
 */
struct http_clients {
	size_t n;
	int fds[HTTP_CONNECTIONS + HTTP_CLOSING];
	const struct http_body *bodies[HTTP_CONNECTIONS + HTTP_CLOSING];
};

/* The state of the thread that serves */
struct http_state {
	const struct http_server *server;
	struct http_clients clients;
	struct http_body *bodies;
};

static int http_fd(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static size_t http_find(const struct http_clients *clients, int fd)
{
	size_t i = 0;

	while (clients->fds[i] != fd)
		i++;
	return i;
}

/* Without a bound, clients that read slowly would each keep an answer of their own in memory. */
static void http_make_room(struct http_state *state)
{
	const struct http_body *oldest = http_body_surplus(state->bodies);
	size_t i;

	for (i = 0; oldest && i < state->clients.n; i++)
		if (state->clients.bodies[i] == oldest)
			shutdown(state->clients.fds[i], SHUT_RDWR);
}

static bool http_add_headers(struct MHD_Response *response, const struct http_answer *answer)
{
	return MHD_add_response_header(response, "Content-Type", answer->type) &&
	       MHD_add_response_header(response, "Cache-Control", "no-store") &&
	       MHD_add_response_header(response, "Connection", "close") &&
	       (answer->status != MHD_HTTP_METHOD_NOT_ALLOWED ||
		MHD_add_response_header(response, "Allow", "GET, HEAD"));
}

static enum MHD_Result http_queue(struct http_state *state, struct MHD_Connection *connection,
				  unsigned int status, struct http_body *body)
{
	state->clients.bodies[http_find(&state->clients, http_fd(connection))] = body;
	return MHD_queue_response(connection, status, body->response);
}

/* The text is the response's from now on, and is freed with it. @kind: see http_server.shared */
static enum MHD_Result http_send(struct http_state *state, struct MHD_Connection *connection,
				 const struct http_answer *answer, const char *kind, char *text,
				 size_t size)
{
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *response;
	struct http_body *body;

	http_make_room(state);
	body = http_body_add(&state->bodies, kind, text, size);
	if (!body)
		return MHD_NO;
	response = body->response;
	if (http_add_headers(response, answer))
		result = http_queue(state, connection, answer->status, body);
	MHD_destroy_response(response);	/* the connections keep it */
	return result;
}

static const char *http_accept(struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");

	return accept ? accept : "";
}

/* MHD_NO closes the connection: there is no memory for an answer. */
static enum MHD_Result http_handle(void *context, struct MHD_Connection *connection,
				   const char *path, const char *method, const char *,
				   const char *, size_t *, void **)
{
	struct http_answer answer = { .status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8" };
	bool allowed = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	const char *accept = http_accept(connection);
	struct http_state *state = context;
	const char *kind = allowed ? state->server->shared(path, accept) : NULL;
	struct http_body *body = kind ? http_body_find(state->bodies, kind) : NULL;
	size_t size = 0;
	char *text = NULL;

	if (body)
		return http_queue(state, connection, MHD_HTTP_OK, body);
	answer.body = open_memstream(&text, &size);
	if (!answer.body)
		return MHD_NO;
	if (!allowed) {
		answer.status = MHD_HTTP_METHOD_NOT_ALLOWED;
		fputs("allowed methods are GET and HEAD\n", answer.body);
	} else {
		state->server->answer(state->server->context, path, accept, &answer);
	}
	if (fclose(answer.body)) {
		free(text);
		return MHD_NO;
	}
	return http_send(state, connection, &answer, answer.status == MHD_HTTP_OK ? kind : NULL,
			 text, size);
}

/* The timeout of libmicrohttpd starts anew with each byte. Without a place for others, a few clients
 * that send or read a byte at a time would keep all others out.
 */
static void http_notify(void *context, struct MHD_Connection *connection, void **,
			enum MHD_ConnectionNotificationCode code)
{
	struct http_state *state = context;
	struct http_clients *clients = &state->clients;
	size_t i;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		clients->bodies[clients->n] = NULL;
		clients->fds[clients->n++] = http_fd(connection);
		if (clients->n > HTTP_CONNECTIONS)
			shutdown(clients->fds[clients->n - HTTP_CONNECTIONS - 1], SHUT_RDWR);
		return;
	}
	i = http_find(clients, http_fd(connection));
	clients->n--;
	memmove(&clients->fds[i], &clients->fds[i + 1], (clients->n - i) * sizeof(int));
	memmove(&clients->bodies[i], &clients->bodies[i + 1],
		(clients->n - i) * sizeof(*clients->bodies));
}

static struct MHD_Daemon *http_start(struct http_state *state)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < HTTP_FILES) {
		errno = EMFILE;
		return NULL;
	}
	return MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL,
				http_handle, state,
				MHD_OPTION_LISTEN_SOCKET, state->server->fd,
				MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)(HTTP_CONNECTIONS + HTTP_CLOSING),
				MHD_OPTION_NOTIFY_CONNECTION, http_notify, state,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_MEMORY,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_IDLE_SECONDS,
				MHD_OPTION_END);
}

/* The thread of libmicrohttpd inherits the mask: signals arrive in sigsuspend() alone. */
int http_serve(const struct http_server *server)
{
	struct http_state state = { .server = server };
	struct MHD_Daemon *daemon;
	sigset_t block, before;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &before);
	daemon = http_start(&state);
	if (daemon) {
		server->ready(server->context);
		while (!server->stopped())
			sigsuspend(&before);
		MHD_stop_daemon(daemon);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return daemon ? 0 : -1;
}
