/* The services of a world are one process of ours, whose power and core file are our own. */
#include "libcommon/io/key_files.h"
#include "tests/sim/fake.h"

FAKE(key_files_begin);

bool __wrap_key_files_begin(const char *folder, const char *service, char *error, size_t room)
{
	(void)folder;
	(void)service;
	(void)error;
	(void)room;
	return true;
}
