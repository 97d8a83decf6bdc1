/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the CoDel headers of a kernel, and its lib/math/int_sqrt.c, need in user space. The other
 * headers in this folder include this one.
 */
#ifndef LAW_KERNEL_H
#define LAW_KERNEL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef uint64_t u64;

#define BITS_PER_LONG		64
#define NSEC_PER_USEC		1000ULL
#define NSEC_PER_MSEC		1000000ULL
#define EXPORT_SYMBOL(name)	_Static_assert(1, #name)
#define WRITE_ONCE(x, value)	((x) = (value))
#define unlikely(x)		(x)
#define typecheck(type, x)	({ type _t; __typeof__(x) _x; (void)(&_t == &_x); 1; })
#define max(a, b)		({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define do_div(n, base)		({ u32 _rest = (n) % (base); (n) /= (base); _rest; })

struct sk_buff {
	u32 len;
};

u64 ktime_get_ns(void);
int skb_get_dsfield(struct sk_buff *skb);
int INET_ECN_set_ce(struct sk_buff *skb);
unsigned long int_sqrt(unsigned long x);

static inline u32 int_sqrt64(u64 x)
{
	return int_sqrt(x);
}

static inline u32 reciprocal_scale(u32 value, u32 end)
{
	return ((u64)value * end) >> 32;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline unsigned long __fls(unsigned long x)
{
	return BITS_PER_LONG - 1 - __builtin_clzl(x);
}

#endif /* LAW_KERNEL_H */
