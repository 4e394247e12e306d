#include "libcommon/base/number.h"

bool number_read(const char *text, int64_t min, int64_t max, int64_t *number_r)
{
	int64_t value = 0;
	if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, *text - '0', &value))
			return false;
	}
	*number_r = value;
	return value >= min && value <= max;
}
