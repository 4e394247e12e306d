/* The export of what is held about a player. */
#ifndef CARILLON_GATEWAY_ADAPTERS_EXPORT_H
#define CARILLON_GATEWAY_ADAPTERS_EXPORT_H

#include <stdbool.h>

/* Some documents are still being written. */
bool exports_open(void);

#endif
