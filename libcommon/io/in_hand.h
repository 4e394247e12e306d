/* A small mapped file with the commands that an instance has in hand: taken, but not yet committed
 * and answered. The file outlives the process, so after a crash the instance's next process can
 * read which commands may have caused it. Writing costs no system call. */
#ifndef CARILLON_IO_IN_HAND_H
#define CARILLON_IO_IN_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_ID_BYTES 16
#define IN_HAND_TOPICS 2
#define IN_HAND_MAX 4096 /* if there are more, the latest are kept */

struct in_hand_command {
	uint8_t id[COMMAND_ID_BYTES];
	uint32_t shard;
};

struct in_hand;

/* Opens <folder>/<instance>.hand; creates the folder and the file if they are missing. Fatal on
 * failure. A file in another format counts as empty. */
struct in_hand *in_hand_open(const char *folder, const char *instance);

/* The commands that the previous process had in hand when it died; valid until in_hand_clear.
 * Returns their number; 0 after an orderly end. */
size_t in_hand_left(const struct in_hand *hand, const struct in_hand_command **commands_r);
/* The command that the previous process was deciding when it died; NULL: none. */
const struct in_hand_command *in_hand_left_deciding(const struct in_hand *hand);

/* Records a command as in hand until in_hand_clear. */
void in_hand_take(struct in_hand *hand, const struct in_hand_command *command);
/* Records which command the service is deciding from now on; NULL: none. */
void in_hand_decide(struct in_hand *hand, const struct in_hand_command *command);
/* Records that nothing is in hand. */
void in_hand_clear(struct in_hand *hand);
/* An event that is tried alone. */
struct in_hand_event {
	uint32_t shard, topic; /* topic: below IN_HAND_TOPICS */
	int64_t offset;
};

/* Records that the process tries this event until in_hand_tried. Returns how many processes of the
 * instance have died in a try of it since another event of its shard and topic was tried. */
unsigned in_hand_try(struct in_hand *hand, const struct in_hand_event *event);
/* The try is over: the event is committed, or must wait, or the process dies for another reason. */
void in_hand_tried(struct in_hand *hand);
void in_hand_close(struct in_hand **hand);

#endif
