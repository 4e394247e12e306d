/* A log-in to Kafka is under way while the program ends: no thread of ours works on beside the exit
 * handlers of the libraries that it calls. */
#include "libcommon/io/kafka_login.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define AUTHENTICATE_HEAD 22 /* bytes before the message: api, version, id, "carillon", length */
#define REQUEST_MAX 1024
#define PATIENCE_S 60

struct broker {
	int listener;
	int asked[2]; /* a byte: the client waits for the challenge */
	int freed[2]; /* a byte: the client has freed its producer, and all exit handlers have run
		       */
};

static void take(int fd, void *bytes, size_t n)
{
	size_t had = 0;
	for (ssize_t more; had < n; had += (size_t)more)
		if ((more = recv(fd, (char *)bytes + had, n - had, 0)) <= 0)
			_exit(1);
}

static size_t request(int fd, char body[REQUEST_MAX])
{
	uint32_t length;
	take(fd, &length, sizeof(length));
	length = ntohl(length);
	if (length >= REQUEST_MAX)
		_exit(1);
	take(fd, body, length);
	body[length] = '\0';
	return length;
}

static void answer(int fd, const void *body, size_t n)
{
	uint8_t bytes[REQUEST_MAX];
	const uint32_t length = htonl((uint32_t)n);
	memcpy(bytes, &length, sizeof(length));
	memcpy(bytes + sizeof(length), body, n);
	(void)send(fd, bytes, sizeof(length) + n, MSG_NOSIGNAL);
}

/* The challenge, with as many iterations as a client takes. */
static void challenge(int fd, const char *message)
{
	static const char head[] = { 0, 0, 0, 1, 0, 0, (char)-1, (char)-1, 0, 0, 0 };
	const char *nonce = strstr(message, "r=");
	char body[REQUEST_MAX];
	memcpy(body, head, sizeof(head));
	int n = snprintf(body + sizeof(head) + 1, REQUEST_MAX - sizeof(head) - 1,
		"%sserver,s=c2FsdHNhbHQ=,i=16384", nonce == NULL ? "r=" : nonce);
	body[sizeof(head)] = (char)n;
	answer(fd, body, sizeof(head) + 1 + (size_t)n);
}

static void broker_work(const struct broker *broker)
{
	static const char handshake[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	char body[REQUEST_MAX], byte;
	(void)alarm(PATIENCE_S);
	int fd = accept(broker->listener, NULL, NULL);
	(void)request(fd, body);
	answer(fd, handshake, sizeof(handshake));
	(void)request(fd, body);
	(void)!write(broker->asked[1], "", 1);
	(void)!read(broker->freed[0], &byte, 1);
	challenge(fd, body + AUTHENTICATE_HEAD);
	_exit(0);
}

static const struct broker *ending;

/* The last exit handler: those of libraries have run. A thread that still works gets its challenge,
 * and has time to touch what they have freed. */
static void exit_slowly(void)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	(void)!write(ending->freed[1], "", 1);
	(void)nanosleep(&pause, NULL);
}

static void client(const struct broker *broker, int port, const char *login)
{
	char address[32], byte;
	ending = broker;
	(void)atexit(exit_slowly);
	(void)alarm(PATIENCE_S);
	(void)snprintf(address, sizeof(address), "127.0.0.1:%d", port);
	kafka_login_from(login);
	struct kafka_producer *producer = kafka_producer_new(address, KAFKA_FAST);
	(void)!read(broker->asked[0], &byte, 1);
	kafka_producer_free(&producer);
	exit(0);
}

static void login_file_make(char path[64])
{
	static const char text[] = "user password\n";
	(void)strcpy(path, "/tmp/kafka-login-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1);
	(void)close(fd);
}

static void test_a_log_in_ends_with_its_producer(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	struct broker broker = { .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	char login[64];
	int status;
	(void)state;
	login_file_make(login);
	assert_int_equal(bind(broker.listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(broker.listener, 16), 0);
	assert_int_equal(getsockname(broker.listener, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(pipe(broker.asked), 0);
	assert_int_equal(pipe(broker.freed), 0);
	(void)fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		client(&broker, ntohs(address.sin_port), login);
	pid_t server = fork();
	assert_true(server >= 0);
	if (server == 0)
		broker_work(&broker);
	assert_int_equal(waitpid(child, &status, 0), child);
	(void)kill(server, SIGKILL);
	assert_int_equal(waitpid(server, NULL, 0), server);
	(void)unlink(login);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_log_in_ends_with_its_producer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
