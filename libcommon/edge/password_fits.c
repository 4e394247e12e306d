/* Which passwords people may choose. */
#include "libcommon/edge/password.h"

#include "libcommon/base/utf8.h"

#include <stdio.h>
#include <strings.h>

/* Those of 12 characters or more among the 10,000 that are most used, and some that are near them.
 * Upper and lower case are one here. */
static const char *const COMMON[] = { "000000000000", "010203040506", "0r968ji9ufj6",
	"102030405060", "111111111111", "111222tianya", "112233445566", "123123123123",
	"123321123321", "123456123456", "123456654321", "123456789000", "12345678900987654321",
	"123456789012", "1234567890123", "12345678901234567890", "1234567890qwertyuiop",
	"1234567891011", "123456789123", "123456789123456", "123456789123456789",
	"12345678987654321", "123456789987654321", "123456789abc", "123456789asd", "123456789qaz",
	"123456789qwe", "123456789qwerty", "123456qwerty", "123qwe123qwe", "123qweasdzxc",
	"159753159753", "1q2w3e4r5t6y", "1q2w3e4r5t6y7u", "1q2w3e4r5t6y7u8i", "1q2w3e4r5t6y7u8i9o",
	"1q2w3e4r5t6y7u8i9o0p", "1qaz2wsx3edc", "1qaz2wsx3edc4rfv", "1qazxsw23edc", "5532361cnjqrf",
	"abc123456789", "adminadminadmin", "administrator", "asdfghjkl123", "changemechangeme",
	"christopher1", "counterstrike", "demon1q2w3e4r", "demon1q2w3e4r5t", "doomsayer.2.7mords.v",
	"finalfantasy", "g13916055158", "ichliebedich", "ihatethisgame", "ilovemyfamily",
	"international", "jamesbond007", "jesuslovesme", "john!20130605at1753", "jundian2011xr",
	"justinbieber", "leavemealone", "linkedin2011", "liverpool123", "lovelovelove",
	"manchesterunited", "maprchem56458", "mega_pizdetz666", "megaparol12345", "michaeljackson",
	"minecraft123", "motherfucker", "n8zgt5p0shw=", "needforspeed", "onedirection",
	"password123!", "password1234", "password12345", "password123456", "passwordpassword",
	"pe#5gz29ptzmse", "playstation2", "playstation3", "polniypizdec0211", "polniypizdec1102",
	"polniypizdec110211", "professional", "projectsadminx", "q1w2e3r4t5y6",
	"q1w2e3r4t5y6u7i8o9p0", "qazwsxedc123", "qazwsxedcrfv", "qazwsxedcrfvtgb", "qwe123qwe123",
	"qweasdzxc123", "qwegta13091990", "qwerasdfzxcv", "qwerty123456", "qwerty123456789",
	"qwertyqwerty", "qwertyuiop12", "qwertyuiop123", "qwertyuiop[]", "qwertyuiopasdfghjkl",
	"residentevil", "s8ylpe9jdpvym", "seniseviyorum", "sojdlg123aljg", "sonyericsson",
	"startfinding", "supernatural", "telechargement", "temppassword", "transformers",
	"yfdbufnjh10305070", "zaq1xsw2cde3", "zxcasdqwe123" };

static bool common(const char *text)
{
	for (size_t i = 0; i < sizeof(COMMON) / sizeof(COMMON[0]); i++)
		if (strcasecmp(COMMON[i], text) == 0)
			return true;
	return false;
}

bool password_fits(const char *text, char found_r[PASSWORD_FOUND_MAX], const char **expected_r)
{
	const char *at = text;
	size_t characters = 0, spaces = 0; /* spaces that follow another one */

	for (size_t length; (length = utf8_length(at)) > 0; at += length) {
		characters++;
		spaces += at[0] == ' ' && at[1] == ' ';
	}
	*expected_r = "12 to 128 characters, of which several spaces in a row count as one";
	if (*at != '\0') {
		(void)snprintf(found_r, PASSWORD_FOUND_MAX, "bytes that are not UTF-8");
		return false;
	}
	if (characters > PASSWORD_CHARACTERS_MAX)
		spaces = 0;
	if (characters - spaces < PASSWORD_CHARACTERS_MIN || characters > PASSWORD_CHARACTERS_MAX) {
		(void)snprintf(found_r, PASSWORD_FOUND_MAX, "%zu characters", characters - spaces);
		return false;
	}
	*expected_r = "a password that few others use";
	(void)snprintf(found_r, PASSWORD_FOUND_MAX, "one of the most used passwords");
	return !common(text);
}
