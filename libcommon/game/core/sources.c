#include "libcommon/game/sources.h"

const char *source_text(enum win_source source)
{
	static const char *const texts[SOURCES] = {
#define SOURCE(id, text, words) [SOURCE_##id] = (text),
#include "libcommon/game/features.def"
	};

	return texts[source];
}

const char *source_words(enum win_source source)
{
	static const char *const all[SOURCES] = {
#define SOURCE(id, text, words) [SOURCE_##id] = (words),
#include "libcommon/game/features.def"
	};

	return all[source];
}

const char *event_text(const struct game *game, uint32_t event)
{
	static const char *const texts[EVENT_AWARD] = {
#define EVENT(id, text) [EVENT_##id] = (text),
#include "libcommon/game/features.def"
	};

	return event < EVENT_AWARD ? texts[event] : game->hold.award[event - EVENT_AWARD].id;
}
