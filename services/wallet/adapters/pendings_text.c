#include "services/wallet/adapters/pendings_text.h"

#include <errno.h>
#include <stdlib.h>

/* Each is above 0, and a game is named once. */
static bool pending_add(struct wallet_account *account, const long long numbers[3])
{
	if (account->pendings_n == WALLET_PENDINGS_MAX || numbers[0] <= 0 ||
		numbers[0] > UINT32_MAX || numbers[1] <= 0 || numbers[2] <= 0)
		return false;
	for (uint32_t i = 0; i < account->pendings_n; i++)
		if (account->pendings[i].game == numbers[0])
			return false;
	account->pendings[account->pendings_n++] = (struct wallet_pending){ (uint32_t)numbers[0],
		(uint64_t)numbers[1], { numbers[2] } };
	return true;
}

bool pendings_read(const char *text, struct wallet_account *account)
{
	long long numbers[3];
	char *end;
	int n = 0;

	if (text[0] != '{')
		return false;
	if (text[1] == '}')
		return text[2] == '\0';
	do {
		errno = 0;
		numbers[n] = strtoll(text + 1, &end, 10);
		if (end == text + 1 || errno != 0)
			return false;
		n = (n + 1) % 3;
		if (n == 0 && !pending_add(account, numbers))
			return false;
		text = end;
	} while (*text == ',');
	return n == 0 && text[0] == '}' && text[1] == '\0';
}
