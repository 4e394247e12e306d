/* A client on a real socket, for the tests of the edge. A failed call fails the test. */
#ifndef CARILLON_EDGE_TEST_EDGE_CLIENT_H
#define CARILLON_EDGE_TEST_EDGE_CLIENT_H

#include <stddef.h>
#include <stdint.h>

/* A connection to a port of 127.0.0.1, whose reads wait for at most 60 s. */
int connect_to(uint16_t to);
void send_all(int fd, const char *text, size_t length);
/* Reads until `count` answers of known length have arrived, or the end. Returns the number of
 * bytes. */
size_t receive(int fd, char *out, size_t room, unsigned count);
/* Reads `n` bytes, fewer when the server closes. */
size_t take(int fd, char *out, size_t n);
/* Sends one request over a connection of its own, and reads its answer. */
void ask(uint16_t to, const char *request, char *out, size_t room);
/* Asks for a path so. */
void get(uint16_t to, const char *path, char *out, size_t room);

#endif
