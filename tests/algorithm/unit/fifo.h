/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* A queue of packets, and a record of their fates. */
#ifndef FIFO_H
#define FIFO_H

#include <stdbool.h>
#include <stdint.h>

#define FIFO_SIZE	(1U << 19)	/* packets, a power of two */

struct packet {
	uint64_t id;
	uint64_t enqueued;	/* ns */
	uint32_t len;		/* bytes */
	bool markable;		/* ECN-capable: marked where others are dropped */
};

struct fifo {
	struct packet *slot;	/* FIFO_SIZE of them */
	uint32_t head;
	uint32_t tail;
	uint64_t bytes;
};

static inline uint32_t fifo_len(const struct fifo *fifo)
{
	return fifo->tail - fifo->head;
}

static inline void fifo_put(struct fifo *fifo, const struct packet *pkt)
{
	fifo->slot[fifo->tail++ % FIFO_SIZE] = *pkt;
	fifo->bytes += pkt->len;
}

/* the packet at the head, which is no longer queued, or NULL */
static inline struct packet *fifo_take(struct fifo *fifo)
{
	struct packet *pkt;

	if (!fifo_len(fifo))
		return 0;
	pkt = &fifo->slot[fifo->head++ % FIFO_SIZE];
	fifo->bytes -= pkt->len;
	return pkt;
}

enum fate {
	FATE_DELIVERED,
	FATE_MARKED,
	FATE_DROPPED,
};

/* the fate of each packet of one dequeue, in order */
struct fates {
	uint64_t *entry;	/* FIFO_SIZE of them: id * 4 + fate */
	uint32_t len;
};

static inline void fates_add(struct fates *fates, const struct packet *pkt,
			     enum fate fate)
{
	fates->entry[fates->len++] = pkt->id * 4 + fate;
}

#endif /* FIFO_H */
