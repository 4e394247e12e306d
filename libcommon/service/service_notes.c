/* What /readyz says is out of work. */
#include "libcommon/service/loop.h"

static void tell(struct service *service, enum health_about about, const char *note)
{
	if (service->health != NULL)
		health_note(service->health, about, note);
}

void service_note_own(struct service *service, const char *note)
{
	tell(service, HEALTH_COMMANDS, note);
}

void service_note(struct service *service, const char *note)
{
	tell(service, HEALTH_WORK, note);
}
