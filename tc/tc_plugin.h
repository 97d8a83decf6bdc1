/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The interface between tc and its qdisc plugins, as far as these plugins use it.
 *
 * tc finds a plugin as q_KIND.so in its library directory, and in it the
 * symbol KIND_qdisc_util. The plugin's undefined symbols are tc's own. No
 * distribution packages the headers that declare them; tests/tools/tc/headers.c
 * compiles this file against those of an iproute2 source tree.
 */
#ifndef TC_PLUGIN_H
#define TC_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <asm/types.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#define SPRINT_BSIZE 64		/* buffer size of sprint_*() */

/**
 * struct qdisc_util - tc's front end of a kind of qdisc
 * @next: tc's own
 * @id: the kind
 * @parse_qopt: append TCA_OPTIONS, made of @argv, to @n; 0 or -1
 * @print_qopt: print @opt, a TCA_OPTIONS or NULL
 * @print_xstats: print @xstats, a TCA_STATS_APP or NULL; qdiscs and classes
 * @parse_copt: as @parse_qopt, for a class
 * @print_copt: as @print_qopt, for a class
 * @has_block: whether the qdisc uses a shared block
 */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt,
			 __u32 block_idx, bool *p_has);
};

/*
 * tc declares these two types as enums. The plugins print only JSON through tc, so
 * PRINT_JSON is the only value that matters.
 */
enum {
	PRINT_JSON = 2,
};

int print_color_bool(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, bool value);
int print_color_int(unsigned int type, unsigned int color, const char *key,
		    const char *fmt, int value);
int print_color_null(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, const char *value);
int print_color_string(unsigned int type, unsigned int color, const char *key,
		       const char *fmt, const char *value);
int print_color_u64(unsigned int type, unsigned int color, const char *key,
		    const char *fmt, uint64_t value);
int print_color_uint(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, unsigned int value);
void open_json_object(const char *name);
void close_json_object(void);
void open_json_array(unsigned int type, const char *name);
void close_json_array(unsigned int type, const char *name);
bool is_json_context(void);
void print_nl(void);
char *sprint_size(__u32 size, char *buf);
char *sprint_time(__u32 time, char *buf);

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen);
struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type);
int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags);

#endif /* TC_PLUGIN_H */
