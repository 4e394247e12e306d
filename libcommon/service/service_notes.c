/* What /readyz says is out of work. */
#include "libcommon/service/loop.h"

#include <stdio.h>

static void tell(struct service *service)
{
	char note[sizeof(service->note_own) + sizeof(service->note) + 4];
	bool both = service->note_own[0] != '\0' && service->note[0] != '\0';

	(void)snprintf(
		note, sizeof(note), "%s%s%s", service->note_own, both ? "; " : "", service->note);
	if (service->health != NULL)
		health_note(service->health, note);
}

void service_note_own(struct service *service, const char *note)
{
	(void)snprintf(service->note_own, sizeof(service->note_own), "%s", note);
	tell(service);
}

void service_note(struct service *service, const char *note)
{
	(void)snprintf(service->note, sizeof(service->note), "%s", note);
	tell(service);
}
