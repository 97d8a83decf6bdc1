// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into QEMU: keeps the wall time of the host out of the machine. The main loop works only while the
 * processor sleeps, and the size of QEMU's TLB does not depend on wall time.
 *
 * With -icount sleep=off the main loop moves the virtual clock to the next timer when it finds the processor
 * halted. It may look at a moment when HLT was executed, but the instructions before it are not yet on the
 * clock: the jump is then too far by as many nanoseconds, and no two runs are alike. On a busy host this
 * happens several times a second.
 *
 * QEMU's big lock has no name outside of QEMU. bql_locked() of QEMU 9, qemu_mutex_iothread_locked() before, returns whether the
 * calling thread holds it: it is the mutex that the main thread had locked last when the answer became true. The
 * processor's thread sleeps while it waits for a condition with that lock; all that it executed is on the clock then.
 * QEMU 10 also polls with the lock held, and locks other mutexes after a poll: neither is a turn of the main loop.
 * QEMU 11 notes that a thread that waits does not hold the lock, and timers must not run without it: bql_update_status().
 *
 * Waking the main thread for each timer took a quarter of a run. The processor's thread therefore does itself, with
 * functions that QEMU exports, what the main loop does in a sleep. The main loop also serves resets and the
 * end, and has every MAIN_LOOP_EVERY-th sleep, and those in which no timer was due.
 *
 * The TLB doubles its size when it is nearly full, and shrinks when few of its entries were used for 100 ms of
 * wall time. The guest sees the size: an access sets the accessed bit of a page only if the TLB does not have its
 * translation. DAMON, which 7.2 runs by default, and khugepaged read these bits, and run for a longer or shorter
 * time. The time for the TLB comes from gettimeofday(), which stands still: the TLB never shrinks. s390x has no such bits,
 * and a processor that walks the whole TLB at each new page of code: CODEL_VM_TLB lets it shrink.
 *
 * Virtual time has an end, at which QEMU runs for ever the timers that shall never run. An idle machine without a timer of
 * its own, or one that has switched its processor off, would be there at once: this library has a timer each hour.
 *
 * A thread of its own writes the virtual time to the file of CODEL_VM_CLOCK (a descriptor) once a second: the runner
 * ends a machine whose clock stands still.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real_lock)(pthread_mutex_t *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_poll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static void (*warp_to_next_timer)(void);
static bool (*run_timers)(int clock);
static int64_t (*clock_ns)(int clock);
static bool (*has_big_lock)(void);
static void (*note_big_lock)(bool held);
static void (*timer_init)(void *timer, void *group, int clock, int scale, int attributes,
			  void (*callback)(void *), void *opaque);
static void (*timer_set)(void *timer, int64_t when);

static bool tlb_shrinks;
static pthread_t main_thread;
static _Atomic(pthread_mutex_t *) big_lock;
static _Atomic int known;	/* that the processor's thread has slept once */
static _Atomic int asleep;	/* changes under the big lock alone */
static unsigned int sleeps;	/* the processor's thread's own */

/* The main thread's own */
static pthread_mutex_t *locked_last;
static bool polled;		/* without the big lock, which it has not taken since */

#define QEMU_CLOCK_VIRTUAL 1	/* of qemu/timer.h */
#define MAIN_LOOP_EVERY 64
#define HOUR 3600000000000LL

static char hourly[512];	/* a QEMUTimer, of which QEMU 7 to 11 have less than 100 bytes */

static void each_hour(void *unused)
{
	(void)unused;
	timer_set(hourly, clock_ns(QEMU_CLOCK_VIRTUAL) + HOUR);
}

static void start_hours(void)
{
	if (!timer_init || !timer_set || !clock_ns)
		return;
	timer_init(hourly, NULL, QEMU_CLOCK_VIRTUAL, 1, 0, each_hour, NULL);
	each_hour(NULL);
}

static void *tell_time(void *file)
{
	int64_t now;

	do {
		sleep(1);
		now = clock_ns(QEMU_CLOCK_VIRTUAL);
	} while (pwrite((int)(intptr_t)file, &now, sizeof(now), 0) == sizeof(now));
	return NULL;
}

/* QEMU's threads handle its signals: this one has none */
static void start_telling(int file)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, tell_time, (void *)(intptr_t)file);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Other libraries lock mutexes before the constructors of this library are called */
__attribute__((constructor)) static void find(void)
{
	if (real_lock)
		return;
	main_thread = pthread_self();
	tlb_shrinks = getenv("CODEL_VM_TLB");
	/* x86-64 has an older one, too, which dlsym() would find; others have one */
	real_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	if (!real_wait)
		real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	real_poll = dlsym(RTLD_NEXT, "ppoll");
	warp_to_next_timer = dlsym(RTLD_DEFAULT, "icount_start_warp_timer");
	run_timers = dlsym(RTLD_DEFAULT, "qemu_clock_run_timers");
	clock_ns = dlsym(RTLD_DEFAULT, "qemu_clock_get_ns");
	timer_init = dlsym(RTLD_DEFAULT, "timer_init_full");
	timer_set = dlsym(RTLD_DEFAULT, "timer_mod_ns");
	has_big_lock = dlsym(RTLD_DEFAULT, "bql_locked");
	if (!has_big_lock)
		has_big_lock = dlsym(RTLD_DEFAULT, "qemu_mutex_iothread_locked");
	note_big_lock = dlsym(RTLD_DEFAULT, "bql_update_status");
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (clock_ns && getenv("CODEL_VM_CLOCK"))
		start_telling(atoi(getenv("CODEL_VM_CLOCK")));
}

static int in_main_thread(void)
{
	return pthread_equal(pthread_self(), main_thread);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	int ready;

	find();
	ready = real_poll(fds, count, timeout, mask);

	if (in_main_thread())
		polled = has_big_lock && !has_big_lock();
	return ready;
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t size)
{
	(void)size;
	return ppoll(fds, count, timeout, mask);
}

/* In the main thread, before it locks another mutex */
static void learn_big_lock(void)
{
	if (!big_lock && has_big_lock && has_big_lock())
		big_lock = locked_last;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int err;

	find();
	if (!in_main_thread())
		return real_lock(mutex);
	learn_big_lock();
	err = real_lock(mutex);
	locked_last = mutex;
	if (!polled || mutex != big_lock)
		return err;
	polled = false;
	while (known && !asleep) {
		pthread_mutex_unlock(mutex);
		syscall(SYS_futex, &asleep, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		err = real_lock(mutex);
	}
	return err;
}

/* With the big lock, before the processor's thread waits for a condition with it */
static bool ran_timers(void)
{
	bool noted, ran;

	if (!warp_to_next_timer || !run_timers || ++sleeps % MAIN_LOOP_EVERY == 0)
		return false;
	noted = !note_big_lock || !has_big_lock || has_big_lock();
	if (!noted)
		note_big_lock(true);
	warp_to_next_timer();
	ran = run_timers(QEMU_CLOCK_VIRTUAL);
	if (!noted)
		note_big_lock(false);
	return ran;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int err;

	find();
	if (in_main_thread() || mutex != big_lock)
		return real_wait(cond, mutex);
	if (!known)
		start_hours();
	known = 1;
	if (ran_timers())
		return 0;
	asleep = 1;
	syscall(SYS_futex, &asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	err = real_wait(cond, mutex);
	asleep = 0;
	return err;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec time = { 0 };

	(void)zone;
	if (tlb_shrinks)
		clock_gettime(CLOCK_REALTIME, &time);
	*now = (struct timeval){ .tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000 };
	return 0;
}
