/* Addresses of clients: networks, Forwarded (RFC 7239), the PROXY protocol. */
#include "libcommon/edge/address.h"

#include <sodium.h>

#include <arpa/inet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define IPV4_AT 12 /* of the 4 bytes of an IPv4 address among the 16 */
#define IPV4_BITS (8u * IPV4_AT)
#define ALL_BITS (8u * ADDRESS_BYTES)

static const uint8_t IPV4_PREFIX[IPV4_AT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* ---- addresses ---- */

bool address_is_ipv4(const struct address *address)
{
	return memcmp(address->bytes, IPV4_PREFIX, sizeof(IPV4_PREFIX)) == 0;
}

static struct address of_ipv4(const uint8_t bytes[4])
{
	struct address address;
	memcpy(address.bytes, IPV4_PREFIX, sizeof(IPV4_PREFIX));
	memcpy(address.bytes + IPV4_AT, bytes, 4);
	return address;
}

bool address_parse(const char *text, struct address *address_r)
{
	uint8_t ipv4[4];
	if (inet_pton(AF_INET, text, ipv4) == 1) {
		*address_r = of_ipv4(ipv4);
		return true;
	}
	return inet_pton(AF_INET6, text, address_r->bytes) == 1;
}

void address_format(const struct address *address, char out[ADDRESS_TEXT_MAX])
{
	bool ipv4 = address_is_ipv4(address);
	if (inet_ntop(ipv4 ? AF_INET : AF_INET6, address->bytes + (ipv4 ? IPV4_AT : 0), out,
		    ADDRESS_TEXT_MAX) == NULL)
		out[0] = '\0';
}

static struct address keep_bits(const struct address *address, unsigned bits)
{
	struct address kept = *address;
	for (unsigned i = 0; i < ADDRESS_BYTES; i++) {
		unsigned of_byte = bits <= 8 * i ? 0 : bits - 8 * i;
		if (of_byte < 8)
			kept.bytes[i] &= (uint8_t)(0xff00u >> of_byte);
	}
	return kept;
}

struct address address_network(
	const struct address *address, unsigned ipv4_bits, unsigned ipv6_bits)
{
	return keep_bits(address, address_is_ipv4(address) ? IPV4_BITS + ipv4_bits : ipv6_bits);
}

uint32_t address_hash(
	const struct address *address, uint8_t kind, const uint8_t key[ADDRESS_HASH_KEY_BYTES])
{
	uint8_t text[ADDRESS_BYTES + 1], hash[crypto_shorthash_BYTES];
	uint32_t number;
	_Static_assert(ADDRESS_HASH_KEY_BYTES == crypto_shorthash_KEYBYTES, "the hash's key");
	memcpy(text, address->bytes, ADDRESS_BYTES);
	text[ADDRESS_BYTES] = kind;
	(void)crypto_shorthash(hash, text, sizeof(text), key);
	memcpy(&number, hash, sizeof(number));
	return number;
}

/* ---- networks ---- */

/* "10.0.0.0/8" */
static bool network_parse(char *text, struct networks *networks)
{
	char *slash = strchr(text, '/');
	unsigned long bits = 0;
	struct address first;
	if (slash != NULL) {
		char *end;
		*slash = '\0';
		bits = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end != '\0')
			return false;
	}
	if (networks->n == NETWORKS_MAX || !address_parse(text, &first))
		return false;
	unsigned before = strchr(text, ':') == NULL ? IPV4_BITS : 0;
	if (slash == NULL)
		bits = ALL_BITS - before;
	if (bits > ALL_BITS - before)
		return false;
	networks->network[networks->n].bits = before + (unsigned)bits;
	networks->network[networks->n].first = keep_bits(&first, before + (unsigned)bits);
	networks->n++;
	return true;
}

bool networks_parse(const char *text, struct networks *networks_r, char *bad_r, size_t room)
{
	networks_r->n = 0;
	for (;;) {
		char one[ADDRESS_TEXT_MAX + 4];
		text += strspn(text, " \t,");
		size_t length = strcspn(text, " \t,");
		if (length == 0)
			return true;
		(void)snprintf(bad_r, room, "%.*s", (int)length, text);
		if (length >= sizeof(one))
			return false;
		memcpy(one, text, length);
		one[length] = '\0';
		if (!network_parse(one, networks_r))
			return false;
		text += length;
	}
}

bool networks_have(const struct networks *networks, const struct address *address)
{
	for (size_t i = 0; i < networks->n; i++) {
		struct address kept = keep_bits(address, networks->network[i].bits);
		if (memcmp(&kept, &networks->network[i].first, sizeof(kept)) == 0)
			return true;
	}
	return false;
}

/* ---- Forwarded ---- */

/* The value of a node: an address with or without a port, quoted or not, in brackets if IPv6.
 * False for "unknown" and for names that hide an address. */
static bool node_parse(const char *text, size_t length, struct address *address_r)
{
	char node[64];
	if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
		text++;
		length -= 2;
	}
	bool bracket = length > 0 && text[0] == '[';
	if (bracket) {
		const char *end = memchr(text, ']', length);
		if (end == NULL || (end + 1 < text + length && end[1] != ':'))
			return false;
		text++;
		length = (size_t)(end - text);
	} else {
		const char *port = memchr(text, ':', length);
		length = port == NULL ? length : (size_t)(port - text);
	}
	if (length == 0 || length >= sizeof(node))
		return false;
	memcpy(node, text, length);
	node[length] = '\0';
	return (strchr(node, ':') != NULL) == bracket && address_parse(node, address_r);
}

/* The node after "for=" in one part: 'for=192.0.2.7;proto=https'. */
static bool part_client(const char *part, size_t length, struct address *address_r)
{
	const char *end = part + length;
	while (part < end) {
		while (part < end && (*part == ' ' || *part == '\t' || *part == ';'))
			part++;
		const char *semicolon = memchr(part, ';', (size_t)(end - part));
		const char *stop = semicolon == NULL ? end : semicolon;
		size_t n = (size_t)(stop - part);
		while (n > 0 && (part[n - 1] == ' ' || part[n - 1] == '\t'))
			n--;
		if (n > 4 && strncasecmp(part, "for=", 4) == 0)
			return node_parse(part + 4, n - 4, address_r);
		part = stop;
	}
	return false;
}

bool forwarded_client(const char *value, const struct networks *proxies, struct address *client_r)
{
	size_t end = strlen(value);
	while (end > 0) {
		size_t begin = end;
		while (begin > 0 && value[begin - 1] != ',')
			begin--;
		if (!part_client(value + begin, end - begin, client_r))
			return false;
		if (!networks_have(proxies, client_r))
			return true;
		end = begin > 0 ? begin - 1 : 0;
	}
	return false;
}

/* ---- PROXY protocol ---- */

#define V1_MAX 107
#define V2_HEAD 16

/* "PROXY TCP4 192.0.2.7 198.51.100.1 4711 443\r\n", or "PROXY UNKNOWN ...\r\n". */
static enum proxy_status v1_read(
	const uint8_t *bytes, size_t length, struct address *client_r, size_t *used_r)
{
	char line[V1_MAX + 1], family[8], address[ADDRESS_TEXT_MAX];
	size_t n = length < V1_MAX ? length : V1_MAX;
	const uint8_t *end = memchr(bytes, '\n', n);
	if (end == NULL)
		return length < V1_MAX ? PROXY_MORE : PROXY_BAD;
	n = (size_t)(end - bytes);
	if (n < 8 || end[-1] != '\r' || memchr(bytes, '\0', n) != NULL)
		return PROXY_BAD;
	memcpy(line, bytes, n - 1);
	line[n - 1] = '\0';
	*used_r = n + 1;
	if (strncmp(line, "PROXY UNKNOWN", 13) == 0)
		return PROXY_NONE;
	if (sscanf(line, "PROXY %7s %45s ", family, address) != 2 ||
		(strcmp(family, "TCP4") != 0 && strcmp(family, "TCP6") != 0) ||
		!address_parse(address, client_r))
		return PROXY_BAD;
	return PROXY_OK;
}

static enum proxy_status v2_read(
	const uint8_t *bytes, size_t length, struct address *client_r, size_t *used_r)
{
	if (length < V2_HEAD)
		return PROXY_MORE;
	size_t more = (size_t)bytes[14] << 8 | bytes[15];
	unsigned command = bytes[12] & 0x0fu, family = bytes[13] >> 4;
	if (bytes[12] >> 4 != 2 || command > 1 || more > PROXY_HEADER_MAX - V2_HEAD)
		return PROXY_BAD;
	if (length < V2_HEAD + more)
		return PROXY_MORE;
	*used_r = V2_HEAD + more;
	if (command == 0 || family == 0 || family == 3)
		return PROXY_NONE;
	if (family == 1 && more >= 12)
		*client_r = of_ipv4(bytes + V2_HEAD);
	else if (family == 2 && more >= 36)
		memcpy(client_r->bytes, bytes + V2_HEAD, ADDRESS_BYTES);
	else
		return PROXY_BAD;
	return PROXY_OK;
}

enum proxy_status proxy_header_read(
	const uint8_t *bytes, size_t length, struct address *client_r, size_t *used_r)
{
	static const uint8_t V2[12] = "\r\n\r\n\0\r\nQUIT\n";
	static const uint8_t V1[6] = "PROXY ";
	*used_r = 0;
	if (memcmp(bytes, V2, length < sizeof(V2) ? length : sizeof(V2)) == 0)
		return length < sizeof(V2) ? PROXY_MORE : v2_read(bytes, length, client_r, used_r);
	if (memcmp(bytes, V1, length < sizeof(V1) ? length : sizeof(V1)) == 0)
		return length < sizeof(V1) ? PROXY_MORE : v1_read(bytes, length, client_r, used_r);
	return PROXY_BAD;
}
