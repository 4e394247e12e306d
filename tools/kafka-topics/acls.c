#include "tools/kafka-topics/acls.h"

#include "tools/kafka-topics/topics.h"

#include <stdio.h>
#include <string.h>

enum { ANSWER_MS = 30000, SURPLUS_MAX = 64 };

void acl_user(const char *service, char out[ACL_USER_MAX])
{
	(void)snprintf(out, ACL_USER_MAX, "carillon_%s", service);
	for (char *at = out; *at != '\0'; at++)
		if (*at == '-')
			*at = '_';
}

static void principal_of(const struct topic_grant *grant, char *out, size_t size)
{
	char user[ACL_USER_MAX];

	acl_user(grant->service, user);
	(void)snprintf(out, size, "User:%s", user);
}

static rd_kafka_AclOperation_t operation_of(const struct topic_grant *grant)
{
	return grant->verb == TOPIC_READ ? RD_KAFKA_ACL_OPERATION_READ
					 : RD_KAFKA_ACL_OPERATION_WRITE;
}

static bool is_grant(const rd_kafka_AclBinding_t *acl, const struct topic_grant *grant)
{
	char principal[2 * ACL_USER_MAX];

	principal_of(grant, principal, sizeof(principal));
	return rd_kafka_AclBinding_restype(acl) == RD_KAFKA_RESOURCE_TOPIC &&
	       rd_kafka_AclBinding_resource_pattern_type(acl) ==
		       RD_KAFKA_RESOURCE_PATTERN_LITERAL &&
	       rd_kafka_AclBinding_operation(acl) == operation_of(grant) &&
	       rd_kafka_AclBinding_permission_type(acl) == RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW &&
	       strcmp(rd_kafka_AclBinding_name(acl), grant->topic) == 0 &&
	       strcmp(rd_kafka_AclBinding_principal(acl), principal) == 0 &&
	       strcmp(rd_kafka_AclBinding_host(acl), "*") == 0;
}

/* The answer to a request; NULL (and said) if there is none, or it is an error. */
static rd_kafka_event_t *answer(rd_kafka_queue_t *queue, const char *what)
{
	rd_kafka_event_t *event = rd_kafka_queue_poll(queue, ANSWER_MS);

	if (event != NULL && rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR)
		return event;
	(void)fprintf(stderr, "kafka-topics: the grants could not be %s: %s\n", what,
		event == NULL ? "no answer within 30 s" : rd_kafka_event_error_string(event));
	if (event != NULL)
		rd_kafka_event_destroy(event);
	return NULL;
}

/* NULL (and said): librdkafka does not know what such a grant is. */
static rd_kafka_AclBindingFilter_t *filter_of(const rd_kafka_AclBinding_t *acl)
{
	char why[256];
	rd_kafka_AclBindingFilter_t *filter;

	if (acl == NULL)
		filter = rd_kafka_AclBindingFilter_new(RD_KAFKA_RESOURCE_ANY, NULL,
			RD_KAFKA_RESOURCE_PATTERN_ANY, NULL, NULL, RD_KAFKA_ACL_OPERATION_ANY,
			RD_KAFKA_ACL_PERMISSION_TYPE_ANY, why, sizeof(why));
	else
		filter = rd_kafka_AclBindingFilter_new(rd_kafka_AclBinding_restype(acl),
			rd_kafka_AclBinding_name(acl),
			rd_kafka_AclBinding_resource_pattern_type(acl),
			rd_kafka_AclBinding_principal(acl), rd_kafka_AclBinding_host(acl),
			rd_kafka_AclBinding_operation(acl),
			rd_kafka_AclBinding_permission_type(acl), why, sizeof(why));
	if (filter == NULL)
		(void)fprintf(stderr, "kafka-topics: a grant cannot be asked for: %s\n", why);
	return filter;
}

/* What is there: which grants of the table, and filters for what the table does not have. */
static bool look(rd_kafka_t *kafka, rd_kafka_queue_t *queue, bool there[GRANT_COUNT],
	rd_kafka_AclBindingFilter_t *surplus[SURPLUS_MAX], size_t *surplus_r)
{
	rd_kafka_AclBindingFilter_t *all = filter_of(NULL);
	const rd_kafka_AclBinding_t **acls;
	rd_kafka_event_t *event;
	size_t n;
	bool good = true;

	if (all == NULL)
		return false;
	rd_kafka_DescribeAcls(kafka, all, NULL, queue);
	rd_kafka_AclBinding_destroy(all);
	event = answer(queue, "read");
	if (event == NULL)
		return false;
	acls = rd_kafka_DescribeAcls_result_acls(rd_kafka_event_DescribeAcls_result(event), &n);
	for (size_t i = 0; good && i < n; i++) {
		bool known = false;

		for (int g = 0; g < GRANT_COUNT; g++)
			if (is_grant(acls[i], &topic_grants[g]))
				known = there[g] = true;
		if (!known && *surplus_r < SURPLUS_MAX) {
			(void)printf("kafka-topics: takes away what the table does not grant: "
				     "%s on %s\n",
				rd_kafka_AclBinding_principal(acls[i]),
				rd_kafka_AclBinding_name(acls[i]));
			surplus[*surplus_r] = filter_of(acls[i]);
			good = surplus[*surplus_r] != NULL;
			*surplus_r += good;
		}
	}
	rd_kafka_event_destroy(event);
	return good;
}

/* Each filter has a result of its own. */
static bool taken(rd_kafka_event_t *event)
{
	const rd_kafka_DeleteAcls_result_response_t **results;
	size_t n;
	bool good = true;

	results = rd_kafka_DeleteAcls_result_responses(rd_kafka_event_DeleteAcls_result(event), &n);
	for (size_t i = 0; i < n; i++) {
		const rd_kafka_error_t *error =
			rd_kafka_DeleteAcls_result_response_error(results[i]);

		if (error != NULL) {
			(void)fprintf(stderr, "kafka-topics: a grant could not be taken away: %s\n",
				rd_kafka_error_string(error));
			good = false;
		}
	}
	return good;
}

static bool take_away(rd_kafka_t *kafka, rd_kafka_queue_t *queue,
	rd_kafka_AclBindingFilter_t *surplus[SURPLUS_MAX], size_t n)
{
	rd_kafka_event_t *event;
	bool good;

	if (n == 0)
		return true;
	rd_kafka_DeleteAcls(kafka, surplus, n, NULL, queue);
	rd_kafka_AclBinding_destroy_array(surplus, n);
	event = answer(queue, "taken away");
	good = event != NULL && taken(event);
	if (event != NULL)
		rd_kafka_event_destroy(event);
	return good;
}

static bool created(rd_kafka_event_t *event)
{
	const rd_kafka_acl_result_t **results;
	size_t n;
	bool good = true;

	results = rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event), &n);
	for (size_t i = 0; i < n; i++) {
		const rd_kafka_error_t *error = rd_kafka_acl_result_error(results[i]);

		if (error != NULL) {
			(void)fprintf(stderr, "kafka-topics: a grant could not be made: %s\n",
				rd_kafka_error_string(error));
			good = false;
		}
	}
	return good;
}

static bool give(rd_kafka_t *kafka, rd_kafka_queue_t *queue, const bool there[GRANT_COUNT])
{
	rd_kafka_AclBinding_t *missing[GRANT_COUNT];
	rd_kafka_event_t *event;
	char principal[2 * ACL_USER_MAX], why[256];
	size_t n = 0;
	bool good;

	for (int g = 0; g < GRANT_COUNT; g++) {
		if (there[g])
			continue;
		principal_of(&topic_grants[g], principal, sizeof(principal));
		missing[n++] = rd_kafka_AclBinding_new(RD_KAFKA_RESOURCE_TOPIC,
			topic_grants[g].topic, RD_KAFKA_RESOURCE_PATTERN_LITERAL, principal, "*",
			operation_of(&topic_grants[g]), RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, why,
			sizeof(why));
	}
	if (n == 0)
		return true;
	rd_kafka_CreateAcls(kafka, missing, n, NULL, queue);
	rd_kafka_AclBinding_destroy_array(missing, n);
	event = answer(queue, "made");
	good = event != NULL && created(event);
	if (event != NULL)
		rd_kafka_event_destroy(event);
	return good;
}

bool acls_settle(rd_kafka_t *kafka)
{
	rd_kafka_queue_t *queue = rd_kafka_queue_new(kafka);
	rd_kafka_AclBindingFilter_t *surplus[SURPLUS_MAX];
	bool there[GRANT_COUNT] = { false };
	size_t n = 0;
	bool good = look(kafka, queue, there, surplus, &n) && take_away(kafka, queue, surplus, n) &&
		    give(kafka, queue, there);

	rd_kafka_queue_destroy(queue);
	return good;
}
