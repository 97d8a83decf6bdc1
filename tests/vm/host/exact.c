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
 * The big lock is the mutex that the main thread takes after it has polled. The processor's thread sleeps
 * while it waits for a condition with that lock; all that it executed is on the clock then.
 *
 * Waking the main thread for each timer took a quarter of a run. The processor's thread therefore does itself, with
 * functions that QEMU exports, what the main loop does in a sleep. The main loop also serves resets and the
 * end, and has every MAIN_LOOP_EVERY-th sleep, and those in which no timer was due.
 *
 * The TLB doubles its size when it is nearly full, and shrinks when few of its entries were used for 100 ms of
 * wall time. The guest sees the size: an access sets the accessed bit of a page only if the TLB does not have its
 * translation. DAMON, which 7.2 runs by default, and khugepaged read these bits, and run for a longer or shorter
 * time. The time for the TLB comes from gettimeofday(), which stands still: the TLB never shrinks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int (*real_lock)(pthread_mutex_t *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_poll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static void (*warp_to_next_timer)(void);
static bool (*run_timers)(int clock);

static pthread_t main_thread;
static _Atomic(pthread_mutex_t *) big_lock;
static _Atomic int known;	/* that the processor's thread has slept once */
static _Atomic int asleep;	/* changes under the big lock alone */
static int polled;		/* the main thread's own */
static unsigned int sleeps;	/* the processor's thread's own */

#define QEMU_CLOCK_VIRTUAL 1	/* of qemu/timer.h */
#define MAIN_LOOP_EVERY 64

/* Other libraries lock mutexes before the constructors of this library are called */
__attribute__((constructor)) static void find(void)
{
	if (real_lock)
		return;
	main_thread = pthread_self();
	/* x86-64 has an older one, too, which dlsym() would find; others have one */
	real_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	if (!real_wait)
		real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	real_poll = dlsym(RTLD_NEXT, "ppoll");
	warp_to_next_timer = dlsym(RTLD_DEFAULT, "icount_start_warp_timer");
	run_timers = dlsym(RTLD_DEFAULT, "qemu_clock_run_timers");
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
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
		polled = 1;
	return ready;
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t size)
{
	(void)size;
	return ppoll(fds, count, timeout, mask);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int err;

	find();
	err = real_lock(mutex);
	if (!in_main_thread() || !polled)
		return err;
	polled = 0;
	big_lock = mutex;
	while (known && !asleep) {
		pthread_mutex_unlock(mutex);
		syscall(SYS_futex, &asleep, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		err = real_lock(mutex);
	}
	return err;
}

static bool ran_timers(void)
{
	if (!warp_to_next_timer || !run_timers || ++sleeps % MAIN_LOOP_EVERY == 0)
		return false;
	warp_to_next_timer();
	return run_timers(QEMU_CLOCK_VIRTUAL);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int err;

	find();
	if (in_main_thread() || mutex != big_lock)
		return real_wait(cond, mutex);
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
	(void)zone;
	*now = (struct timeval){ 0 };
	return 0;
}
