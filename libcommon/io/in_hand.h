/* A small mapped file with the commands that an instance has in hand: taken, but not yet committed
 * and answered. The file outlives the process, so after a crash the instance's next process can
 * read which commands may have caused it. Writing costs no system call. */
#ifndef CARILLON_IO_IN_HAND_H
#define CARILLON_IO_IN_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_ID_BYTES 16
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
/* Records when a process of the instance last ended because the database server failed, in
 * microseconds since 1970, and reads it back; 0: none has. in_hand_clear keeps it. */
void in_hand_server_failed(struct in_hand *hand, uint64_t wall_us);
uint64_t in_hand_server_failed_us(const struct in_hand *hand);
void in_hand_close(struct in_hand **hand);

#endif
