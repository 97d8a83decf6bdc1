// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See codel_stock.h */
#include <dlfcn.h>
#include <string.h>
#include <sys/utsname.h>

#include "codel_stock.h"

#define STOCK_PATH 256
/* The longest line that is read: the kernel's command line */
#define STOCK_LINE 4096

static bool codel_file_has(const char *path, const char *text)
{
	char line[STOCK_LINE];
	FILE *file = fopen(path, "r");
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, text);
	fclose(file);
	return found;
}

/* The kernel was booted with initcall_blacklist=, a list that has the in-tree qdisc. */
static bool codel_is_blacklisted(const char *kind)
{
	char first[STOCK_PATH], later[STOCK_PATH];

	snprintf(first, sizeof(first), "initcall_blacklist=%s_module_init", kind);
	snprintf(later, sizeof(later), ",%s_module_init", kind);
	return codel_file_has("/proc/cmdline", first) || codel_file_has("/proc/cmdline", later);
}

/*
 * The in-tree qdisc is built in, or its module is loaded: then the name was not free. Or the
 * out-of-tree module has declined. Else it serves the name, or may be loaded to serve it.
 */
static bool codel_in_tree_serves(const char *kind)
{
	char path[STOCK_PATH], module[STOCK_PATH];
	struct utsname kernel;

	snprintf(path, sizeof(path), "/sys/module/sch_%s/initstate", kind);
	if (codel_file_has(path, "live"))
		return true;
	snprintf(path, sizeof(path), "/sys/module/sch_%s_oot/parameters/takeover", kind);
	if (codel_file_has(path, "N"))
		return true;
	if (codel_is_blacklisted(kind) || uname(&kernel))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin", kernel.release);
	snprintf(module, sizeof(module), "/sch_%s.ko", kind);
	return codel_file_has(path, module);
}

/* tc looks plugins up before its own front ends, which its symbols still name. */
static const struct qdisc_util *codel_stock(const char *kind)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	const struct qdisc_util *stock;
	char symbol[STOCK_PATH];

	if (!self)
		return NULL;
	snprintf(symbol, sizeof(symbol), "%s_qdisc_util", kind);
	stock = dlsym(self, symbol);
	dlclose(self);
	return stock;
}

const struct qdisc_util *codel_stock_parser(const char *kind)
{
	return codel_in_tree_serves(kind) ? codel_stock(kind) : NULL;
}

const struct qdisc_util *codel_stock_printer(const char *kind, bool own)
{
	return own ? NULL : codel_stock(kind);
}
