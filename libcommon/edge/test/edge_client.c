#include "libcommon/edge/test/edge_client.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int connect_to(uint16_t to)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(to),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct timeval wait = { .tv_sec = 60 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(fd >= 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

void send_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);
		if (n <= 0)
			return; /* the other side has closed; its bytes can still be read */
		text += n;
		length -= (size_t)n;
	}
}

size_t receive(int fd, char *out, size_t room, unsigned count)
{
	size_t n = 0;
	out[0] = '\0';
	while (n + 1 < room) {
		ssize_t got = recv(fd, out + n, room - 1 - n, 0);
		if (got <= 0)
			break;
		n += (size_t)got;
		out[n] = '\0';
		unsigned whole = 0;
		const char *at = out;
		const char *end;
		while ((end = strstr(at, "\r\n\r\n")) != NULL) {
			const char *length = strstr(at, "Content-Length: ");
			size_t body =
				length != NULL && length < end ? strtoul(length + 16, NULL, 10) : 0;
			if ((size_t)(out + n - (end + 4)) < body)
				break;
			whole++;
			at = end + 4 + body;
		}
		if (whole >= count)
			break;
	}
	return n;
}

size_t take(int fd, char *out, size_t n)
{
	size_t at = 0;
	while (at < n) {
		ssize_t got = recv(fd, out + at, n - at, 0);
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	return at;
}

void ask(uint16_t to, const char *request, char *out, size_t room)
{
	int fd = connect_to(to);
	send_all(fd, request, strlen(request));
	(void)receive(fd, out, room, 1);
	(void)close(fd);
}

void get(uint16_t to, const char *path, char *out, size_t room)
{
	char request[512];
	(void)snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
	ask(to, request, out, room);
}
