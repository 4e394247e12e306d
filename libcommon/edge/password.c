#include "libcommon/edge/password.h"

#include "libcommon/io/log.h"

#include <sodium.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct job {
	char text[PASSWORD_MAX + 1];
	char hash[PASSWORD_HASH_MAX]; /* "": make one */
	bool made, ok;
	password_done *done;
	void *context;
};

struct password {
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wanted;
	struct job jobs[PASSWORD_QUEUE_MAX]; /* a ring */
	size_t first, worked, n;	     /* oldest; of n, so many are finished */
	bool stop;
	int fd;
};

void password_invent(char out[PASSWORD_INVENTED_MAX])
{
	static const char digits[] = "abcdefghjkmnpqrstuvwxyz23456789";

	for (size_t i = 0; i + 1 < PASSWORD_INVENTED_MAX; i++)
		out[i] = digits[randombytes_uniform(sizeof(digits) - 1)];
	out[PASSWORD_INVENTED_MAX - 1] = '\0';
}

bool password_hash(const char *text, char hash_r[PASSWORD_HASH_MAX])
{
	return crypto_pwhash_str(hash_r, text, strlen(text), crypto_pwhash_OPSLIMIT_INTERACTIVE,
		       crypto_pwhash_MEMLIMIT_INTERACTIVE) == 0;
}

static void work(struct job *job)
{
	if (job->hash[0] != '\0') {
		job->ok = crypto_pwhash_str_verify(job->hash, job->text, strlen(job->text)) == 0;
	} else {
		job->made = true;
		job->ok = password_hash(job->text, job->hash);
	}
	sodium_memzero(job->text, sizeof(job->text));
}

static void *run(void *context)
{
	struct password *password = context;
	const uint64_t one = 1;

	(void)pthread_mutex_lock(&password->lock);
	while (!password->stop) {
		if (password->worked == password->n) {
			(void)pthread_cond_wait(&password->wanted, &password->lock);
			continue;
		}
		size_t at = (password->first + password->worked) % PASSWORD_QUEUE_MAX;
		struct job *job = &password->jobs[at]; /* nobody else touches it until it is done */
		(void)pthread_mutex_unlock(&password->lock);
		work(job);
		(void)pthread_mutex_lock(&password->lock);
		password->worked++;
		if (write(password->fd, &one, sizeof(one)) != sizeof(one))
			log_warn_as("edge.password.late",
				"passwords: the hashing thread could not wake the main loop; the "
				"answer to a login or password change will be late");
	}
	(void)pthread_mutex_unlock(&password->lock);
	return NULL;
}

struct password *password_new(void)
{
	struct password *password = calloc(1, sizeof(*password));

	if (password == NULL)
		fatal("out of memory");
	password->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (password->fd < 0 || pthread_mutex_init(&password->lock, NULL) != 0 ||
		pthread_cond_init(&password->wanted, NULL) != 0 ||
		pthread_create(&password->thread, NULL, run, password) != 0)
		fatal("the thread that checks passwords could not be started");
	return password;
}

void password_free(struct password **password)
{
	struct password *gone = *password;

	if (gone == NULL)
		return;
	(void)pthread_mutex_lock(&gone->lock);
	gone->stop = true;
	(void)pthread_cond_signal(&gone->wanted);
	(void)pthread_mutex_unlock(&gone->lock);
	(void)pthread_join(gone->thread, NULL);
	(void)pthread_cond_destroy(&gone->wanted);
	(void)pthread_mutex_destroy(&gone->lock);
	(void)close(gone->fd);
	sodium_memzero(gone, sizeof(*gone));
	free(gone);
	*password = NULL;
}

int password_fd(const struct password *password)
{
	return password->fd;
}

static bool finished_take(struct password *password, struct job *job_r)
{
	bool any;

	(void)pthread_mutex_lock(&password->lock);
	any = password->worked > 0;
	if (any) {
		*job_r = password->jobs[password->first];
		password->first = (password->first + 1) % PASSWORD_QUEUE_MAX;
		password->worked--;
		password->n--;
	}
	(void)pthread_mutex_unlock(&password->lock);
	return any;
}

void password_poll(void *context)
{
	struct password *password = context;
	uint64_t count;
	struct job job;

	if (read(password->fd, &count, sizeof(count)) < 0)
		return; /* woken for nothing */
	while (finished_take(password, &job))
		job.done(job.context, job.ok, job.made && job.ok ? job.hash : "");
}

static bool put(struct password *password, const char *text, const char *hash, password_done *done,
	void *context)
{
	bool room;

	(void)pthread_mutex_lock(&password->lock);
	room = password->n < PASSWORD_QUEUE_MAX;
	if (room) {
		size_t at = (password->first + password->n++) % PASSWORD_QUEUE_MAX;
		struct job *job = &password->jobs[at];
		*job = (struct job){ .done = done, .context = context };
		(void)snprintf(job->text, sizeof(job->text), "%s", text);
		(void)snprintf(job->hash, sizeof(job->hash), "%s", hash);
		(void)pthread_cond_signal(&password->wanted);
	}
	(void)pthread_mutex_unlock(&password->lock);
	return room;
}

bool password_check(struct password *password, const char *text, const char *hash,
	password_done *done, void *context)
{
	return put(password, text, hash, done, context);
}

bool password_make(struct password *password, const char *text, password_done *done, void *context)
{
	return put(password, text, "", done, context);
}
