// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* A listening socket at an address that a user has typed */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http.h"

/* "ADDR:PORT" or "[ADDR]:PORT" apart; the host is written into @host, @six if in brackets */
static const char *http_split(const char *where, char *host, size_t size, bool *six)
{
	const char *colon = strrchr(where, ':');
	size_t length = colon ? (size_t)(colon - where) : 0;
	const char *port = colon ? colon + 1 : "";

	if (!length || length >= size || !*port ||
	    strspn(port, "0123456789") != strlen(port) || strlen(port) > 5 ||
	    atoi(port) > 65535)
		return NULL;
	*six = where[0] == '[' && length > 2 && where[length - 1] == ']';
	if (*six) {
		where++;
		length -= 2;
	}
	memcpy(host, where, length);
	host[length] = '\0';
	return port;
}

/* getaddrinfo() also reads "*", "1" and "0x7f.1". An IPv6 address may have a zone: %eth0 */
static bool http_is_address(const char *host, bool six)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char number[INET6_ADDRSTRLEN];
	const size_t length = six ? strcspn(host, "%") : strlen(host);

	if (length >= sizeof(number))
		return false;
	memcpy(number, host, length);
	number[length] = '\0';
	return inet_pton(six ? AF_INET6 : AF_INET, number, bytes) == 1;
}

/* Numbers only: no name is looked up */
struct addrinfo *http_address(const char *where)
{
	struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *info = NULL;
	char host[64];
	bool six;
	const char *port = http_split(where, host, sizeof(host), &six);

	if (!port || !http_is_address(host, six))
		return NULL;
	hints.ai_family = six ? AF_INET6 : AF_INET;
	return getaddrinfo(host, port, &hints, &info) ? NULL : info;
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
	    !listen(fd, SOMAXCONN)) {
		http_url(fd, url, size);
		return fd;
	}
	close(fd);
	return -1;
}
