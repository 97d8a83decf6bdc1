// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the test machine: sets the machine up, runs one command, hands its
 * output to the host, and ends the machine. The way to the host is in ports.h
 * or virtio.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the host left for us: lists of strings, each ended by a zero byte. */
#define FILE_COMMAND	"/.vm/command"
#define FILE_GET	"/.vm/get"

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

#if defined(__x86_64__) || defined(__i386__)
#include "ports.h"
#else
#include "virtio.h"
#endif

/* One message to the host: what it is, its name, its contents; numbers as the machine has them. */
static void frame(char kind, const char *name, const void *data, uint64_t len)
{
	uint32_t name_len = strlen(name);

	out(CHANNEL_CONTROL, &kind, 1);
	out(CHANNEL_CONTROL, &name_len, sizeof(name_len));
	out(CHANNEL_CONTROL, &len, sizeof(len));
	out(CHANNEL_CONTROL, name, name_len);
	out(CHANNEL_CONTROL, data, len);
}

/* Without a verdict the host takes it that the machine failed. */
static void fail(const char *what)
{
	char text[256];

	snprintf(text, sizeof(text), "guest: %s: %s\n", what, strerror(errno));
	frame('E', "", text, strlen(text));
	machine_off(1);
}

static void set_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		fail(path);
	close(fd);
}

/* Reads to the end into memory that is never freed; NULL when it cannot. */
static char *slurp(const char *path, int flags, size_t *len)
{
	size_t room = 1 << 16;
	char *buf = malloc(room);
	int fd = open(path, O_RDONLY | flags);
	ssize_t n;

	*len = 0;
	if (fd < 0)
		return NULL;
	for (;;) {
		/* /dev/kmsg wants room for one whole record. */
		if (room - *len < 1 << 14)
			buf = realloc(buf, room *= 2);
		if (!buf)
			fail("memory");
		n = read(fd, buf + *len, room - *len - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		*len += n;
	}
	buf[*len] = 0;
	close(fd);
	return buf;
}

static char **strings(const char *path)
{
	size_t len, n = 0;
	char *data = slurp(path, 0, &len);
	char **list;

	list = calloc(len + 1, sizeof(*list));
	if (!list || !data)
		fail(path);
	for (char *s = data; s < data + len; s += strlen(s) + 1)
		list[n++] = s;
	return list;
}

static void mount_one(const char *type, const char *where, const char *options)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, options) && errno != ENODEV && errno != ENOENT)
		fail(where);
}

static void mount_all(void)
{
	mount_one("devtmpfs", "/dev", "");
	mount_one("proc", "/proc", "");
	mount_one("sysfs", "/sys", "");
	mount_one("devpts", "/dev/pts", "ptmxmode=666");
	mount_one("tmpfs", "/dev/shm", "mode=1777");
	mount_one("tmpfs", "/run", "mode=755");
	mount_one("tmpfs", "/tmp", "mode=1777");
	mount_one("cgroup2", "/sys/fs/cgroup", "");
	mount_one("bpf", "/sys/fs/bpf", "");
	mount_one("debugfs", "/sys/kernel/debug", "");
	mount_one("tracefs", "/sys/kernel/tracing", "");
	if (symlink("/proc/self/fd", "/dev/fd") ||
	    symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") ||
	    symlink("/proc/self/fd/2", "/dev/stderr"))
		fail("/dev");
}

/*
 * The machine has no source of entropy, so that runs repeat.  The kernel would
 * spend a second of jitter on its generator at the first use: credit it once.
 */
static void seed_random(void)
{
	struct {
		struct rand_pool_info info;
		char bytes[64];
	} seed = {
		.info = { .entropy_count = 512, .buf_size = 64 },
		.bytes = "the same bytes every time",
	};
	int fd = open("/dev/urandom", O_WRONLY);

	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed))
		fail("/dev/urandom");
	close(fd);
}

static void loopback_up(void)
{
	struct ifreq req = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req))
		fail("lo");
	close(fd);
}

static void set_up(void)
{
	channels_open();
	mount_all();
	seed_random();
	loopback_up();
	if (sethostname("codel", 5) || chdir("/root"))
		fail("set-up");
	/* A kernel that stands still for 10 s is a failure, not a wait. */
	set_file("/proc/sys/kernel/watchdog_thresh", "5");
	set_file("/proc/sys/kernel/softlockup_panic", "1");
	set_file("/proc/sys/kernel/hung_task_panic", "1");
	set_file("/proc/sys/kernel/panic_on_rcu_stall", "1");
}

static pid_t spawn(char **argv, int out_fd, int err_fd)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (dup2(open("/dev/null", O_RDONLY), 0) < 0 || dup2(out_fd, 1) < 0 || dup2(err_fd, 2) < 0)
		_exit(126);
	setenv("HOME", "/root", 1);
	setenv("LANG", "C.UTF-8", 1);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("TERM", "dumb", 1);
	setenv("USER", "root", 1);
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Returns whether there may be more. */
static int pump(int fd, enum channel channel)
{
	static char buf[1 << 16];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		out(channel, buf, n);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Reaps what has ended; returns the command's status, or -1 while it runs. */
static int reap(pid_t command)
{
	int status, verdict = -1;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command)
			verdict = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return verdict;
}

static int run(char **argv)
{
	struct pollfd fds[3] = { { .events = POLLIN }, { .events = POLLIN }, { .events = POLLIN } };
	struct signalfd_siginfo info;
	int outs[2], errs[2], status = -1;
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	fds[2].fd = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fds[2].fd < 0 || pipe2(outs, O_CLOEXEC) || pipe2(errs, O_CLOEXEC))
		fail("pipe");
	pid = spawn(argv, outs[1], errs[1]);
	if (pid < 0)
		fail("fork");
	fds[0].fd = outs[0];
	fds[1].fd = errs[0];
	/* Only the ends of init: a read must not wait for a writer that does not exist. */
	fcntl(outs[0], F_SETFL, O_NONBLOCK);
	fcntl(errs[0], F_SETFL, O_NONBLOCK);
	while (status < 0) {
		poll(fds, 3, -1);
		pump(outs[0], CHANNEL_STDOUT);
		pump(errs[0], CHANNEL_STDERR);
		if (read(fds[2].fd, &info, sizeof(info)) > 0)
			status = reap(pid);
	}
	while (pump(outs[0], CHANNEL_STDOUT))
		;
	while (pump(errs[0], CHANNEL_STDERR))
		;
	return status;
}

static void send_files(char **paths)
{
	for (; *paths; paths++) {
		size_t len;
		char *data = slurp(*paths, 0, &len);

		if (data)
			frame('G', *paths, data, len);
		else
			frame('M', *paths, strerror(errno), strlen(strerror(errno)));
	}
}

/* Namespaces and sockets go away first: what they still hold is no leak. */
static void stop_processes(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* The second scan forgives what the first one caught on the move. */
static void send_leaks(void)
{
	size_t len;
	char *text;

	if (access(KMEMLEAK, F_OK))
		return;
	sleep(6);
	set_file(KMEMLEAK, "scan");
	sleep(6);
	set_file(KMEMLEAK, "scan");
	text = slurp(KMEMLEAK, 0, &len);
	if (text && len)
		frame('L', "", text, len);
}

static void send_log(void)
{
	size_t len;
	char *text = slurp("/dev/kmsg", O_NONBLOCK, &len);

	if (text)
		frame('K', "", text, len);
}

int main(void)
{
	unsigned char status;

	set_up();
	status = run(strings(FILE_COMMAND));
	send_files(strings(FILE_GET));
	stop_processes();
	send_leaks();
	send_log();
	/* Last: all that could go wrong has had its chance. */
	frame('V', "", &status, 1);
	machine_off(0);
}
