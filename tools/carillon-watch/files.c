/* What files say: space, the ages of keys, and the last proof of the ledger. */
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/metrics_sweep.h"
#include "tools/carillon-watch/watch.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATH_ROOM 4096

static int64_t now_s(void)
{
	return (int64_t)(clock_wall_us() / 1000000u);
}

static bool file_time(const char *folder, const char *name, int64_t *time_s_r)
{
	char path[PATH_ROOM];
	struct stat file;
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	*time_s_r = (int64_t)file.st_mtime;
	return true;
}

static const char *path_labels(const char *path, char labels[PATH_ROOM])
{
	/* Quotes and backslashes would need escapes. */
	(void)snprintf(labels, PATH_ROOM, "path=\"%.4000s\"",
		strpbrk(path, "\"\\\n") == NULL ? path : "?");
	return labels;
}

/* After a call that sets errno. What cannot be read has no figures, so no alert about them can
 * fire: the failed read has a figure and a line of its own. */
static bool was_read(const char *path, bool good)
{
	char labels[PATH_ROOM];
	if (!good)
		log_warn_as(
			"watch.path.unreadable", "%s: cannot be read: %s", path, strerror(errno));
	metric_set(metric_gauge("carillon_watch_readable", path_labels(path, labels),
			   "0: this file system or folder of keys cannot be read."),
		good);
	return good;
}

static void disk_look(const char *path)
{
	char labels[PATH_ROOM];
	struct statvfs disk;
	if (!was_read(path, statvfs(path, &disk) == 0))
		return;
	(void)path_labels(path, labels);
	metric_set(metric_gauge("carillon_disk_free_bytes", labels,
			   "Bytes of the file system that may still be written."),
		(int64_t)(disk.f_bavail * disk.f_frsize));
	metric_set(metric_gauge("carillon_disk_size_bytes", labels, "Size of the file system."),
		(int64_t)(disk.f_blocks * disk.f_frsize));
}

static void key_look(const char *folder, const char *below, const char *name)
{
	char labels[600];
	int64_t time_s;
	size_t n = strlen(name);
	if (n < 5 || strcmp(name + n - 4, ".key") != 0 || !file_time(folder, name, &time_s))
		return;
	(void)snprintf(labels, sizeof(labels), "key=\"%s%s\"", below, name);
	metric_set(metric_gauge("carillon_key_age_seconds", labels,
			   "Time since the file of keys was last changed."),
		now_s() - time_s);
}

/* The files NAME.key of a folder, and of the folders in it: "wallet/wallet-heads.key". Others, such
 * as those of passwords, are left out. */
static void keys_look(const char *folder, const char *below)
{
	char path[PATH_ROOM];
	(void)snprintf(path, sizeof(path), "%.3000s/%s", folder, below);
	DIR *keys = opendir(path);
	const struct dirent *entry;
	if (!was_read(path, keys != NULL))
		return;
	while ((entry = readdir(keys)) != NULL) {
		if (entry->d_type == DT_DIR && below[0] == '\0' && entry->d_name[0] != '.') {
			char deeper[sizeof(entry->d_name) + 1];
			(void)snprintf(deeper, sizeof(deeper), "%s/", entry->d_name);
			keys_look(folder, deeper);
		} else {
			key_look(path, below, entry->d_name);
		}
	}
	(void)closedir(keys);
}

/* jackpotctl notes a whole proof as proof-good, and a breach as proof-broken until the next whole
 * proof. Without a proof the installation's own age counts. */
static void proof_look(const char *heads)
{
	int64_t good_s = watch_created_s(), broken_s;
	bool broken = file_time(heads, "proof-broken", &broken_s);
	bool proven = file_time(heads, "proof-good", &good_s);
	metric_set(metric_gauge("carillon_ledger_broken", NULL,
			   "1: the last proof of the ledger found a breach."),
		broken);
	if (proven || good_s != 0)
		metric_set(metric_gauge("carillon_ledger_proof_age_seconds", NULL,
				   "Time since the ledger was last proven; before the first "
				   "proof, the age of the installation."),
			now_s() - good_s);
}

void watch_files(const struct watch_options *options)
{
	static const char *const SWEPT[] = { "carillon_watch_readable", "carillon_disk_free_bytes",
		"carillon_disk_size_bytes", "carillon_key_age_seconds" };
	for (size_t i = 0; i < sizeof(SWEPT) / sizeof(SWEPT[0]); i++)
		metrics_sweep_begin(SWEPT[i]);
	for (size_t i = 0; options->disks[i] != NULL; i++)
		disk_look(options->disks[i]);
	if (options->keys != NULL)
		keys_look(options->keys, "");
	for (size_t i = 0; i < sizeof(SWEPT) / sizeof(SWEPT[0]); i++)
		metrics_sweep_end(SWEPT[i]);
	if (options->heads != NULL)
		proof_look(options->heads);
}
