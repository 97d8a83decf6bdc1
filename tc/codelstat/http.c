// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The exporter's pages over HTTP: libmicrohttpd in one thread, signals in the other */
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "http.h"

/* The body is the response's from now on, and is freed with it. */
static enum MHD_Result http_send(struct MHD_Connection *connection,
				 const struct http_answer *answer, char *body, size_t size)
{
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *response;

	response = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(body);
		return MHD_NO;
	}
	if (MHD_add_response_header(response, "Content-Type", answer->type) &&
	    MHD_add_response_header(response, "Cache-Control", "no-store") &&
	    MHD_add_response_header(response, "Connection", "close") &&
	    (answer->status != MHD_HTTP_METHOD_NOT_ALLOWED ||
	     MHD_add_response_header(response, "Allow", "GET, HEAD")))
		result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* MHD_NO closes the connection: there is no memory for an answer. */
static enum MHD_Result http_handle(void *context, struct MHD_Connection *connection,
				   const char *path, const char *method, const char *,
				   const char *, size_t *, void **)
{
	const struct http_server *server = context;
	struct http_answer answer = { .status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8" };
	const char *accept;
	size_t size = 0;
	char *body = NULL;

	answer.body = open_memstream(&body, &size);
	if (!answer.body)
		return MHD_NO;
	if (strcmp(method, "GET") && strcmp(method, "HEAD")) {
		answer.status = MHD_HTTP_METHOD_NOT_ALLOWED;
		fputs("allowed methods are GET and HEAD\n", answer.body);
	} else {
		accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
		server->answer(server->context, path, accept ? accept : "", &answer);
	}
	if (fclose(answer.body)) {
		free(body);
		return MHD_NO;
	}
	return http_send(connection, &answer, body, size);
}

/**
 * struct http_clients - the sockets of all connections, the oldest first
 * @n: how many
 * @fds: the sockets
 */
struct http_clients {
	size_t n;
	int fds[HTTP_CONNECTIONS + HTTP_CLOSING];
};

/* The timeout of libmicrohttpd starts anew with each byte. Without a place for others, a few clients
 * that send or read a byte at a time would keep all others out.
 */
static void http_notify(void *context, struct MHD_Connection *connection, void **,
			enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http_clients *clients = context;
	size_t i = 0;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		clients->fds[clients->n++] = info->connect_fd;
		if (clients->n > HTTP_CONNECTIONS)
			shutdown(clients->fds[clients->n - HTTP_CONNECTIONS - 1], SHUT_RDWR);
		return;
	}
	while (clients->fds[i] != info->connect_fd)
		i++;
	clients->n--;
	memmove(&clients->fds[i], &clients->fds[i + 1], (clients->n - i) * sizeof(int));
}

static struct MHD_Daemon *http_start(const struct http_server *server,
				     struct http_clients *clients)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < HTTP_FILES) {
		errno = EMFILE;
		return NULL;
	}
	return MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL,
				http_handle, (void *)(uintptr_t)server,
				MHD_OPTION_LISTEN_SOCKET, server->fd,
				MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)(HTTP_CONNECTIONS + HTTP_CLOSING),
				MHD_OPTION_NOTIFY_CONNECTION, http_notify, clients,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_MEMORY,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_IDLE_SECONDS,
				MHD_OPTION_END);
}

/* The thread of libmicrohttpd inherits the mask: signals arrive in sigsuspend() alone. */
int http_serve(const struct http_server *server)
{
	struct http_clients clients = { 0 };
	struct MHD_Daemon *daemon;
	sigset_t block, before;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &before);
	daemon = http_start(server, &clients);
	if (daemon) {
		server->ready(server->context);
		while (!server->stopped())
			sigsuspend(&before);
		MHD_stop_daemon(daemon);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return daemon ? 0 : -1;
}
