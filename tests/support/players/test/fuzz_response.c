/* Responses: with any bytes, the result stays inside the buffer, and a response that arrives in
 * pieces is the same as one that arrives at once. */
#include "tests/support/players/response.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
	if (!holds)
		abort();
}

/* Exactly so many bytes, so that ASan sees one too far. */
static enum response_status read_at_once(
	const uint8_t *data, size_t n, bool ended, struct response *response, char **bytes_r)
{
	*bytes_r = malloc(n + 1);
	memcpy(*bytes_r, data, n);
	*bytes_r = realloc(*bytes_r, n ? n : 1);
	*response = (struct response){ 0 };
	return response_read(response, *bytes_r, n, ended);
}

static enum response_status read_in_pieces(
	const uint8_t *data, size_t n, size_t step, struct response *response, char **bytes_r)
{
	enum response_status status = RESPONSE_MORE;
	char *bytes = NULL;
	*response = (struct response){ 0 };
	for (size_t seen = 0; status == RESPONSE_MORE && seen < n;) {
		size_t more = n - seen < step ? n - seen : step;
		bytes = realloc(bytes, seen + more);
		memcpy(bytes + seen, data + seen, more);
		seen += more;
		status = response_read(response, bytes, seen, false);
		expect(response->at <= seen);
	}
	*bytes_r = bytes;
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct response whole, pieces;
	char *bytes, *others;
	if (size < 2)
		return 0;
	size_t step = 1 + data[0] % 16;
	bool ended = data[0] >= 128;
	data++, size--;
	enum response_status status = read_at_once(data, size, false, &whole, &bytes);
	expect(read_in_pieces(data, size, step, &pieces, &others) == status);
	expect(whole.at <= size);
	if (status == RESPONSE_MALFORMED)
		expect(whole.fault != NULL);
	if (status == RESPONSE_MORE && ended) {
		status = response_read(&whole, bytes, size, true);
		expect(response_read(&pieces, others, size, true) == status);
		expect(status != RESPONSE_MORE);
	}
	if (status == RESPONSE_WHOLE) {
		expect(whole.status >= 200 && whole.status <= 599);
		expect(whole.body_at + whole.body_n <= whole.at);
		expect(whole.status == pieces.status && whole.body_n == pieces.body_n);
		expect(memcmp(bytes + whole.body_at, others + pieces.body_at, whole.body_n) == 0);
	}
	free(bytes);
	free(others);
	return 0;
}
