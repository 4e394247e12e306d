/*
 * kafka-topics: makes the topics of an installation and checks those that are there; makes the
 * users of the services and grants each what it may do. Also the stack's test of readiness: it
 * waits until Kafka answers a real request. A second JVM for this would take as long as the
 * broker's own start.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <librdkafka/rdkafka.h>

#include "tools/kafka-topics/acls.h"
#include "tools/kafka-topics/topics.h"
#include "tools/kafka-topics/users.h"

struct options {
	const char *brokers;
	long partitions;
	long replication;
	long wait_s;
	bool only_wait;
	bool grants;
	const char *login;			   /* "": none */
	const char *controller, *controller_login; /* NULL: its listener is not ours */
	const char *keys;			   /* NULL: users and grants are not ours */
	const char *only[USERS_MAX];
	size_t only_n;
};

static int usage(FILE *out)
{
	(void)fprintf(out,
		"kafka-topics [--brokers=HOST:PORT] [--login=FILE] [--partitions=N] "
		"[--replication=N] [--wait=S] [--only-wait]\n"
		"             [--keys=FOLDER [--user=SERVICE]..] [--controller=HOST:PORT "
		"--controller-login=FILE]\n"
		"kafka-topics --grants\n"
		"Waits up to S seconds (default 30) until Kafka answers, then creates the topics "
		"that are missing and checks\nthat each has N partitions. --only-wait: creates "
		"nothing. Defaults: CARILLON_KAFKA, CARILLON_KAFKA_LOGIN and\nCARILLON_SHARDS.\n"
		"--keys: gives each service its user, with the password of FOLDER/SERVICE/kafka, "
		"and its grants, and nobody else any;\nwith --user sets the passwords of these "
		"services and does nothing else.\n"
		"--controller: first sets the password of --login through the controller's own "
		"listener (SASL/PLAIN).\n"
		"--grants: prints who may do what: service, verb, topic.\n");
	return out == stdout ? EXIT_SUCCESS : 2;
}

static bool parse_number(const char *what, const char *text, long max, long *number_r)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end != '\0' || number < 1 || number > max) {
		(void)fprintf(stderr,
			"kafka-topics: %s: found '%s', expected a whole number from 1 to %ld\n",
			what, text, max);
		return false;
	}
	*number_r = number;
	return true;
}

/* The services of the table of grants, each once. */
static size_t services(const char *services_r[USERS_MAX])
{
	size_t n = 0;

	for (int g = 0; g < GRANT_COUNT; g++) {
		size_t i = 0;

		while (i < n && strcmp(services_r[i], topic_grants[g].service) != 0)
			i++;
		if (i == n && n < USERS_MAX)
			services_r[n++] = topic_grants[g].service;
	}
	return n;
}

static bool parse_user(const char *name, struct options *options)
{
	const char *all[USERS_MAX];
	size_t n = services(all);

	for (size_t i = 0; i < n && options->only_n < USERS_MAX; i++)
		if (strcmp(all[i], name) == 0) {
			options->only[options->only_n++] = name;
			return true;
		}
	(void)fprintf(stderr,
		"kafka-topics: --user: found '%s', expected a service that --grants names\n", name);
	return false;
}

static bool parse_option(const char *arg, struct options *options)
{
	if (strncmp(arg, "--brokers=", 10) == 0)
		options->brokers = arg + 10;
	else if (strncmp(arg, "--partitions=", 13) == 0)
		return parse_number(
			"--partitions", arg + 13, TOPIC_PARTITIONS_MAX, &options->partitions);
	else if (strncmp(arg, "--replication=", 14) == 0)
		return parse_number("--replication", arg + 14, 15, &options->replication);
	else if (strncmp(arg, "--wait=", 7) == 0)
		return parse_number("--wait", arg + 7, 600, &options->wait_s);
	else if (strcmp(arg, "--only-wait") == 0)
		options->only_wait = true;
	else if (strcmp(arg, "--grants") == 0)
		options->grants = true;
	else if (strncmp(arg, "--login=", 8) == 0)
		options->login = arg + 8;
	else if (strncmp(arg, "--controller=", 13) == 0)
		options->controller = arg + 13;
	else if (strncmp(arg, "--controller-login=", 19) == 0)
		options->controller_login = arg + 19;
	else if (strncmp(arg, "--keys=", 7) == 0)
		options->keys = arg + 7;
	else if (strncmp(arg, "--user=", 7) == 0)
		return parse_user(arg + 7, options);
	else {
		(void)fprintf(stderr,
			"kafka-topics: found '%s', expected one of the options below\n", arg);
		return false;
	}
	return true;
}

static double now_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The last word of librdkafka on why it cannot connect: said only if the wait was in vain. */
static char last_error[512];

static void on_error(rd_kafka_t *kafka, int err, const char *reason, void *opaque)
{
	(void)kafka;
	(void)err;
	(void)opaque;
	(void)snprintf(last_error, sizeof(last_error), "%s", reason);
}

static void on_log(const rd_kafka_t *kafka, int level, const char *facility, const char *text)
{
	(void)kafka;
	(void)level;
	(void)facility;
	(void)text;
}

static rd_kafka_t *new_client(const char *brokers, const char *login)
{
	static const char *const settings[][2] = { { "reconnect.backoff.ms", "20" },
		{ "reconnect.backoff.max.ms", "100" }, { "socket.timeout.ms", "3000" } };
	char why[512];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	rd_kafka_t *kafka = NULL;
	bool good = rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof(why)) ==
		    RD_KAFKA_CONF_OK;

	for (size_t i = 0; good && i < sizeof(settings) / sizeof(settings[0]); i++)
		good = rd_kafka_conf_set(conf, settings[i][0], settings[i][1], why, sizeof(why)) ==
		       RD_KAFKA_CONF_OK;
	kafka_login_from(login);
	kafka_login_configure(conf);
	rd_kafka_conf_set_error_cb(conf, on_error);
	rd_kafka_conf_set_log_cb(conf, on_log);
	if (good)
		kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof(why));
	if (kafka == NULL) {
		(void)fprintf(stderr, "kafka-topics: %s: %s\n", brokers, why);
		rd_kafka_conf_destroy(conf);
	}
	return kafka;
}

/* Asks until there is an answer that names at least one broker; NULL (and said) if there is none in
 * time. */
static const struct rd_kafka_metadata *wait_for_metadata(
	rd_kafka_t *kafka, const struct options *options)
{
	double end = now_s() + (double)options->wait_s;

	do {
		const struct rd_kafka_metadata *metadata;
		rd_kafka_resp_err_t err = rd_kafka_metadata(kafka, 1, NULL, &metadata, 500);

		if (err == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->broker_cnt > 0)
			return metadata;
		if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
			rd_kafka_metadata_destroy(metadata);
		(void)rd_kafka_poll(kafka, 20);
	} while (now_s() < end);
	const char *why = kafka_login_refusal()[0] != '\0' ? kafka_login_refusal() : last_error;
	(void)fprintf(stderr, "kafka-topics: %s: no answer within %ld s%s%s\n", options->brokers,
		options->wait_s, why[0] == '\0' ? "" : "; ", why);
	return NULL;
}

static const struct rd_kafka_metadata_topic *find_topic(
	const struct rd_kafka_metadata *metadata, const char *name)
{
	for (int i = 0; i < metadata->topic_cnt; i++)
		if (strcmp(metadata->topics[i].topic, name) == 0)
			return &metadata->topics[i];
	return NULL;
}

static rd_kafka_NewTopic_t *new_topic(const struct topic_spec *spec, const struct options *options)
{
	char why[256];
	rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(
		spec->name, (int)options->partitions, (int)options->replication, why, sizeof(why));

	if (topic == NULL) {
		(void)fprintf(stderr, "kafka-topics: %s: %s\n", spec->name, why);
		return NULL;
	}
	(void)rd_kafka_NewTopic_set_config(topic, "retention.ms", spec->retention_ms);
	(void)rd_kafka_NewTopic_set_config(topic, "retention.bytes", spec->retention_bytes);
	(void)rd_kafka_NewTopic_set_config(topic, "segment.bytes", spec->segment_bytes);
	return topic;
}

/* Reads the answer to the creation. A topic that somebody else made meanwhile is as good. */
static bool creation_succeeded(rd_kafka_event_t *event)
{
	const rd_kafka_CreateTopics_result_t *result = rd_kafka_event_CreateTopics_result(event);
	const rd_kafka_topic_result_t **topics;
	size_t count;
	bool good = true;

	if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR || result == NULL) {
		(void)fprintf(stderr, "kafka-topics: creation failed: %s\n",
			rd_kafka_event_error_string(event));
		return false;
	}
	topics = rd_kafka_CreateTopics_result_topics(result, &count);
	for (size_t i = 0; i < count; i++) {
		rd_kafka_resp_err_t err = rd_kafka_topic_result_error(topics[i]);

		if (err != RD_KAFKA_RESP_ERR_NO_ERROR &&
			err != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
			(void)fprintf(stderr, "kafka-topics: %s: %s\n",
				rd_kafka_topic_result_name(topics[i]),
				rd_kafka_topic_result_error_string(topics[i]));
			good = false;
		}
	}
	return good;
}

static bool create(rd_kafka_t *kafka, rd_kafka_NewTopic_t **topics, size_t count)
{
	rd_kafka_queue_t *queue = rd_kafka_queue_new(kafka);
	rd_kafka_event_t *event;
	bool good = false;

	rd_kafka_CreateTopics(kafka, topics, count, NULL, queue);
	event = rd_kafka_queue_poll(queue, 30000);
	if (event == NULL) {
		(void)fprintf(stderr,
			"kafka-topics: the brokers did not answer within 30 s whether the topics were created\n");
	} else {
		good = creation_succeeded(event);
		rd_kafka_event_destroy(event);
	}
	rd_kafka_queue_destroy(queue);
	return good;
}

static void tell_of_former(const struct rd_kafka_metadata *metadata)
{
	for (size_t i = 0; i < sizeof(topics_former) / sizeof(topics_former[0]); i++)
		if (find_topic(metadata, topics_former[i]) != NULL)
			(void)printf("kafka-topics: %s belongs to an earlier version, and nothing "
				     "reads it any more. The senders repeat the messages that are "
				     "left in it. You may delete it.\n",
				topics_former[i]);
}

/* Creates what is missing; refuses a topic that has another number of partitions, since shards are
 * partitions. */
static bool settle_topics(
	rd_kafka_t *kafka, const struct rd_kafka_metadata *metadata, const struct options *options)
{
	rd_kafka_NewTopic_t *missing[TOPIC_COUNT];
	size_t count = 0;
	bool good = true;

	for (int i = 0; i < TOPIC_COUNT && good; i++) {
		const struct rd_kafka_metadata_topic *topic =
			find_topic(metadata, topic_specs[i].name);

		if (topic == NULL) {
			missing[count] = new_topic(&topic_specs[i], options);
			good = missing[count] != NULL;
			count += good;
		} else if (topic->partition_cnt != options->partitions) {
			(void)fprintf(stderr,
				"kafka-topics: %s: found %d partitions, expected %ld, one per "
				"shard; an installation's number of shards never changes\n",
				topic->topic, topic->partition_cnt, options->partitions);
			good = false;
		}
	}
	if (good && count > 0)
		good = create(kafka, missing, count);
	rd_kafka_NewTopic_destroy_array(missing, count);
	return good;
}

/* After a creation the broker still needs a moment until each partition has a leader. */
static bool wait_for_leaders(rd_kafka_t *kafka, const struct options *options)
{
	double end = now_s() + (double)options->wait_s;

	do {
		const struct rd_kafka_metadata *metadata = wait_for_metadata(kafka, options);
		int ready = 0;

		if (metadata == NULL)
			return false;
		for (int i = 0; i < TOPIC_COUNT; i++) {
			const struct rd_kafka_metadata_topic *topic =
				find_topic(metadata, topic_specs[i].name);
			int led = 0;

			for (int p = 0; topic != NULL && p < topic->partition_cnt; p++)
				led += topic->partitions[p].leader >= 0;
			ready += topic != NULL && led == options->partitions;
		}
		rd_kafka_metadata_destroy(metadata);
		if (ready == TOPIC_COUNT)
			return true;
		(void)rd_kafka_poll(kafka, 20);
	} while (now_s() < end);
	(void)fprintf(stderr, "kafka-topics: not every partition had a leader within %ld s\n",
		options->wait_s);
	return false;
}

/* ---- users ---- */

/* Whoever logs in is in the table of grants; so these come after them. */
static bool set_users(const struct options *options)
{
	const char *names[USERS_MAX];
	struct kafka_user as, users[USERS_MAX];
	size_t n = options->only_n > 0 ? options->only_n : services(names);

	for (size_t i = 0; i < n; i++) {
		const char *name = options->only_n > 0 ? options->only[i] : names[i];
		char path[1024], expected[ACL_USER_MAX];

		(void)snprintf(path, sizeof(path), "%s/%s/kafka", options->keys, name);
		if (!user_read_plain(path, &users[i]))
			return false;
		acl_user(name, expected);
		if (strcmp(users[i].name, expected) != 0) {
			(void)fprintf(stderr,
				"kafka-topics: %s: found the user '%s', expected '%s'\n", path,
				users[i].name, expected);
			return false;
		}
	}
	return user_read(options->login, &as) &&
	       users_set(options->brokers, KAFKA_LOGIN_SCRAM, &as, users, n, options->wait_s);
}

/* Kafka knows its administrator from this moment, whatever it has forgotten. */
static bool set_admin(const struct options *options)
{
	struct kafka_user as, admin;

	return user_read(options->controller_login, &as) && user_read(options->login, &admin) &&
	       users_set(options->controller, KAFKA_LOGIN_PLAIN, &as, &admin, 1, options->wait_s);
}

static int settle(const struct options *options)
{
	rd_kafka_t *kafka = new_client(options->brokers, options->login);
	const struct rd_kafka_metadata *metadata;
	bool good;

	if (kafka == NULL)
		return EXIT_FAILURE;
	metadata = wait_for_metadata(kafka, options);
	good = metadata != NULL;
	if (good)
		tell_of_former(metadata);
	if (good && !options->only_wait)
		good = (options->keys == NULL || (acls_settle(kafka) && set_users(options))) &&
		       settle_topics(kafka, metadata, options) && wait_for_leaders(kafka, options);
	if (metadata != NULL)
		rd_kafka_metadata_destroy(metadata);
	kafka_login_end(kafka);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_grants(void)
{
	for (int g = 0; g < GRANT_COUNT; g++)
		(void)printf("%s %s %s\n", topic_grants[g].service,
			topic_grants[g].verb == TOPIC_READ ? "read" : "write",
			topic_grants[g].topic);
	return EXIT_SUCCESS;
}

/* Options that need each other. */
static bool complete(const struct options *options)
{
	const char *missing = NULL;

	if (options->brokers == NULL || options->brokers[0] == '\0')
		missing = "found no address, expected --brokers or CARILLON_KAFKA";
	else if ((options->keys != NULL || options->controller != NULL) &&
		 options->login[0] == '\0')
		missing = "--keys, --controller: found no --login and no CARILLON_KAFKA_LOGIN, "
			  "expected the administrator's";
	else if ((options->controller == NULL) != (options->controller_login == NULL))
		missing = "--controller, --controller-login: found one, expected both";
	else if (options->only_n > 0 && options->keys == NULL)
		missing = "--user: found no --keys, expected the folder of the passwords";
	if (missing != NULL)
		(void)fprintf(stderr, "kafka-topics: %s\n", missing);
	return missing == NULL;
}

int main(int argc, char **argv)
{
	struct options options = { .brokers = getenv("CARILLON_KAFKA"),
		.login = getenv("CARILLON_KAFKA_LOGIN"),
		.partitions = 4,
		.replication = 1,
		.wait_s = 30 };
	const char *shards = getenv("CARILLON_SHARDS");

	if (options.login == NULL)
		options.login = "";
	if (shards != NULL &&
		!parse_number("CARILLON_SHARDS", shards, TOPIC_PARTITIONS_MAX, &options.partitions))
		return 2;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return usage(stdout);
		if (!parse_option(argv[i], &options))
			return usage(stderr);
	}
	if (options.grants)
		return print_grants();
	if (!complete(&options))
		return usage(stderr);
	if (options.controller != NULL && !set_admin(&options))
		return EXIT_FAILURE;
	if (options.only_n > 0)
		return set_users(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
	return settle(&options);
}
