/* What files say: space, the ages of keys, and the last proof of the ledger. */
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "libcommon/io/metrics_sweep.h"
#include "tools/carillon-watch/watch.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <dirent.h>
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

static void disk_look(const char *path)
{
	char labels[PATH_ROOM];
	struct statvfs disk;
	if (statvfs(path, &disk) != 0)
		return;
	/* Quotes and backslashes would need escapes. */
	if (strpbrk(path, "\"\\\n") != NULL)
		path = "?";
	(void)snprintf(labels, sizeof(labels), "path=\"%.4000s\"", path);
	metric_set(metric_gauge("carillon_disk_free_bytes", labels,
			   "Bytes of the file system that may still be written."),
		(int64_t)(disk.f_bavail * disk.f_frsize));
	metric_set(metric_gauge("carillon_disk_size_bytes", labels, "Size of the file system."),
		(int64_t)(disk.f_blocks * disk.f_frsize));
}

/* The files NAME.key of a folder, and of the folders in it: "wallet/wallet-heads.key". Others, such
 * as those of passwords, are left out. */
static void keys_look(const char *folder, const char *below)
{
	char path[PATH_ROOM];
	(void)snprintf(path, sizeof(path), "%.3000s/%s", folder, below);
	DIR *keys = opendir(path);
	const struct dirent *entry;
	while (keys != NULL && (entry = readdir(keys)) != NULL) {
		char labels[600];
		int64_t time_s;
		size_t n = strlen(entry->d_name);
		if (entry->d_type == DT_DIR && below[0] == '\0' && entry->d_name[0] != '.') {
			(void)snprintf(labels, sizeof(labels), "%s/", entry->d_name);
			keys_look(folder, labels);
			continue;
		}
		if (n < 5 || strcmp(entry->d_name + n - 4, ".key") != 0 ||
			!file_time(path, entry->d_name, &time_s))
			continue;
		(void)snprintf(labels, sizeof(labels), "key=\"%s%s\"", below, entry->d_name);
		metric_set(metric_gauge("carillon_key_age_seconds", labels,
				   "Time since the file of keys was last changed."),
			now_s() - time_s);
	}
	if (keys != NULL)
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
	for (size_t i = 0; i < WATCH_DISKS_MAX && options->disks[i] != NULL; i++)
		disk_look(options->disks[i]);
	if (options->keys != NULL) {
		metrics_sweep_begin("carillon_key_age_seconds");
		keys_look(options->keys, "");
		metrics_sweep_end("carillon_key_age_seconds");
	}
	if (options->heads != NULL)
		proof_look(options->heads);
}
