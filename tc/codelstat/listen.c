// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* A listening socket at an address that a user has typed */
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http.h"

/* "ADDR:PORT" or "[ADDR]:PORT" apart; the host is written into @host */
static const char *http_split(const char *where, char *host, size_t size)
{
	const char *colon = strrchr(where, ':');
	size_t length = colon ? (size_t)(colon - where) : 0;
	const char *port = colon ? colon + 1 : "";

	if (!length || length >= size || !*port ||
	    strspn(port, "0123456789") != strlen(port) || strlen(port) > 5 ||
	    atoi(port) > 65535)
		return NULL;
	if (where[0] == '[' && where[length - 1] == ']') {
		where++;
		length -= 2;
	} else if (memchr(where, ':', length)) {
		return NULL;	/* IPv6 without brackets: where does it end? */
	}
	memcpy(host, where, length);
	host[length] = '\0';
	return port;
}

/* Numbers only: nobody is asked for names */
struct addrinfo *http_address(const char *where)
{
	const struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *info = NULL;
	char host[64];
	const char *port = http_split(where, host, sizeof(host));

	if (port)
		getaddrinfo(host, port, &hints, &info);
	return info;
}

static void http_url(int fd, char *url, size_t size)
{
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);
	char host[64] = "?", port[8] = "?";
	bool six;

	getsockname(fd, (struct sockaddr *)&address, &length);
	getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	six = address.ss_family == AF_INET6;
	snprintf(url, size, "http://%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
}

int http_listen(const struct addrinfo *address, char *url, size_t size)
{
	const int one = 1;
	int fd;

	fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, address->ai_addr, address->ai_addrlen) &&
	    !listen(fd, HTTP_CONNECTIONS)) {
		http_url(fd, url, size);
		return fd;
	}
	close(fd);
	return -1;
}
