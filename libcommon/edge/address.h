/* IP addresses of clients: networks, and what a proxy says about the client behind it. Pure.
 *
 * A proxy in front of the edge hides its clients' addresses. The edge believes only proxies that
 * the operator lists; anybody else could name any address and so escape every limit. */
#ifndef CARILLON_EDGE_ADDRESS_H
#define CARILLON_EDGE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_BYTES 16
#define ADDRESS_TEXT_MAX 46 /* with the NUL */
#define NETWORKS_MAX 32

/* IPv6, or IPv4 as ::ffff:a.b.c.d. All zero: not known. */
struct address {
	uint8_t bytes[ADDRESS_BYTES];
};

bool address_is_ipv4(const struct address *address);
/* "192.0.2.7", "2001:db8::1"; false on anything else. */
bool address_parse(const char *text, struct address *address_r);
void address_format(const struct address *address, char out[ADDRESS_TEXT_MAX]);
/* Keeps the first ipv4_bits of an IPv4 address, or the first ipv6_bits of an IPv6 address, and
 * clears the rest. */
struct address address_network(
	const struct address *address, unsigned ipv4_bits, unsigned ipv6_bits);
/* A number for tables of addresses. Without the random key, nobody can choose addresses that share
 * a number. `kind` tells apart entries of one address. */
#define ADDRESS_HASH_KEY_BYTES 16
uint32_t address_hash(
	const struct address *address, uint8_t kind, const uint8_t key[ADDRESS_HASH_KEY_BYTES]);

struct networks {
	size_t n;
	struct {
		struct address first;
		unsigned bits; /* of 128 */
	} network[NETWORKS_MAX];
};

/* "10.0.0.0/8 192.0.2.7 2001:db8::/32", separated by blanks or commas; an address without a length
 * is a network of one. An empty text gives no networks. False: bad_r, which holds `room` bytes,
 * gets the part that cannot be read. */
bool networks_parse(const char *text, struct networks *networks_r, char *bad_r, size_t room);
bool networks_have(const struct networks *networks, const struct address *address);

/* Finds the client in the value of a Forwarded header (RFC 7239), whose newest part is last:
 * 'for=192.0.2.7, for="[::1]:80"'. Reads the addresses from the last to the first and skips those
 * in `proxies`; the first other address is the client. False if there is none; the caller then uses
 * the proxy's own address. */
bool forwarded_client(const char *value, const struct networks *proxies, struct address *client_r);

enum proxy_status {
	PROXY_OK,   /* the header, *used_r bytes long, names the client */
	PROXY_NONE, /* the header, *used_r bytes long, names none: the proxy's own connection */
	PROXY_MORE, /* the header has not arrived in full */
	PROXY_BAD,  /* not a header of the PROXY protocol */
};

#define PROXY_HEADER_MAX 536 /* bytes of a header of version 2; version 1 has at most 107 */

/* Reads the header of the PROXY protocol, version 1 (text) or 2 (binary), at the start of a
 * connection. */
enum proxy_status proxy_header_read(
	const uint8_t *bytes, size_t length, struct address *client_r, size_t *used_r);

#endif
