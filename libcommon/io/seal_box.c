#include "libcommon/io/seal_box.h"

#include <stdio.h>
#include <string.h>

#define BOOT_RANDOM_BITS 10
#define SECOND_US 1000000u
/* An address belongs to who was listed at it in the last seconds: instances are listed five times a
 * second. */
#define HELD_US 3000000u

const char *seal_status_name(enum seal_status status)
{
	static const char *const NAMES[SEAL_STATUS_N] = {
		[SEAL_OK] = "ok",
		[SEAL_MALFORMED] = "malformed",
		[SEAL_RECEIVER] = "receiver",
		[SEAL_UNLISTED] = "unlisted",
		[SEAL_NO_KEY] = "no_key",
		[SEAL_FORGED] = "forged",
		[SEAL_REPLAYED] = "replayed",
		[SEAL_FORBIDDEN] = "forbidden",
	};
	return NAMES[status];
}

uint64_t seal_boot(uint64_t wall_us, uint32_t random)
{
	return wall_us << BOOT_RANDOM_BITS | (random & ((1u << BOOT_RANDOM_BITS) - 1));
}

void seal_box_begin(struct seal_box *box, const char *service, const char *url, uint64_t boot,
	const uint8_t salt[SEAL_SALT_BYTES])
{
	memset(box, 0, sizeof(*box));
	(void)snprintf(box->service, sizeof(box->service), "%s", service);
	box->boot = boot;
	memcpy(box->salt, salt, SEAL_SALT_BYTES);
	box->peers_n = 1;
	box->peers[0] = (struct seal_peer){ .boot = boot, .current = true };
	(void)snprintf(box->peers[0].service, SEAL_NAME_BYTES, "%s", service);
	(void)snprintf(box->peers[0].url, SEAL_URL_BYTES, "%s", url);
}

static struct seal_peer *peer_at(struct seal_box *box, const char *url)
{
	for (size_t i = 0; i < box->peers_n; i++)
		if (box->peers[i].current && strcmp(box->peers[i].url, url) == 0)
			return &box->peers[i];
	return NULL;
}

static struct seal_peer *peer_known(
	struct seal_box *box, const char *service, const char *url, uint64_t boot)
{
	for (size_t i = 1; i < box->peers_n; i++) {
		struct seal_peer *peer = &box->peers[i];
		if (peer->boot == boot && strcmp(peer->url, url) == 0 &&
			strcmp(peer->service, service) == 0)
			return peer;
	}
	return NULL;
}

/* A free place, or that of the boot which has not been listed for longest: of this service where it
 * has all that one service may have. Never our own. */
static struct seal_peer *peer_place(struct seal_box *box, const char *service)
{
	struct seal_peer *oldest = NULL, *own = NULL;
	size_t own_n = 0;
	for (size_t i = 1; i < box->peers_n; i++) {
		struct seal_peer *peer = &box->peers[i];
		if (oldest == NULL || peer->listed < oldest->listed)
			oldest = peer;
		if (strcmp(peer->service, service) != 0)
			continue;
		own_n++;
		if (own == NULL || peer->listed < own->listed)
			own = peer;
	}
	if (own_n >= SEAL_SERVICE_PEERS_MAX)
		return own;
	return box->peers_n < SEAL_PEERS_MAX ? &box->peers[box->peers_n++] : oldest;
}

void seal_box_list(
	struct seal_box *box, const char *service, const char *url, uint64_t boot, uint64_t now_us)
{
	struct seal_peer *holder = peer_at(box, url);
	if (boot == 0 || strlen(service) >= SEAL_NAME_BYTES || strlen(url) >= SEAL_URL_BYTES ||
		holder == &box->peers[0])
		return;
	if (holder != NULL && strcmp(holder->service, service) != 0 &&
		now_us < holder->listed_us + HELD_US)
		return;
	if (holder != NULL)
		holder->current = false;
	struct seal_peer *peer = peer_known(box, service, url, boot);
	if (peer == NULL) {
		peer = peer_place(box, service);
		*peer = (struct seal_peer){ .boot = boot };
		(void)snprintf(peer->service, sizeof(peer->service), "%s", service);
		(void)snprintf(peer->url, sizeof(peer->url), "%s", url);
	}
	peer->current = true;
	peer->listed = ++box->listings;
	peer->listed_us = now_us;
}

size_t seal_box_close(struct seal_box *box, const char *url, const uint8_t *content, size_t n,
	uint64_t now_us, uint8_t *out)
{
	const struct seal_peer *peer = peer_at(box, url);
	const struct seal_key *key =
		peer == NULL ? NULL : seal_key_out(&box->keys, peer->service, now_us / SECOND_US);
	if (key == NULL)
		return 0;
	struct seal_head head = { .key = key->number,
		.from = box->boot,
		.to = peer->boot,
		.counter = ++box->counter,
		.time_us = now_us };
	memcpy(head.salt, box->salt, SEAL_SALT_BYTES);
	return seal_close(key->parcel, &head, content, n, out);
}

static struct seal_peer *peer_of(struct seal_box *box, uint64_t boot)
{
	for (size_t i = 0; boot != 0 && i < box->peers_n; i++)
		if (box->peers[i].current && box->peers[i].boot == boot)
			return &box->peers[i];
	return NULL;
}

enum seal_status seal_box_open(struct seal_box *box, uint8_t *parcel, size_t n, uint64_t now_us,
	struct seal_opened *opened_r)
{
	struct seal_head head;
	if (!seal_head_read(parcel, n, &head))
		return SEAL_MALFORMED;
	if (head.to != box->boot)
		return SEAL_RECEIVER;
	struct seal_peer *peer = peer_of(box, head.from);
	if (peer == NULL)
		return SEAL_UNLISTED;
	const struct seal_key *key = seal_key_in(&box->keys, peer->service, head.key);
	if (key == NULL)
		return SEAL_NO_KEY;
	const uint8_t *content = seal_open(key->parcel, parcel, n);
	if (content == NULL)
		return SEAL_FORGED;
	/* After the seal: nobody else may move the window. */
	if (!seal_window_take(&peer->window, head.counter))
		return SEAL_REPLAYED;
	*opened_r = (struct seal_opened){ .from = peer->service,
		.from_url = peer->url,
		.content = content,
		.n = n - SEAL_MORE_BYTES,
		.age_us = (int64_t)(now_us - head.time_us) };
	return SEAL_OK;
}
