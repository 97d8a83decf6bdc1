# SPDX-License-Identifier: GPL-2.0-only
#
# Read by make in an iproute2 tree, before its own makefiles: the objects of
# its codel and fq_codel are made from the sources in CODEL_TC instead. The common
# code goes into one of the two, because the list of objects is iproute2's.

CODEL_SHARED := $(addprefix $(CODEL_TC)/,codel_parse.c codel_print.c codel_number.c \
	codel_histogram.c codel_ext_stats.c codel_far.c codel_shared.c codel_flow.c)
CODEL_CONST := $(shell grep -sq 'parse_qopt..const' tc_util.h && echo const)
CODEL_COMPILE = $(CC) $(CFLAGS) $(CPPFLAGS) -I. -DCODEL_IN_IPROUTE2 \
	'-DCODEL_QDISC_UTIL=$(CODEL_CONST) struct qdisc_util'

q_codel.o: $(CODEL_TC)/q_codel.c $(CODEL_SHARED)
	$(CODEL_COMPILE) -r -nostdlib -o $@ $^

q_fq_codel.o: $(CODEL_TC)/q_fq_codel.c
	$(CODEL_COMPILE) -c -o $@ $<

# A static tc looks its kinds up in a list made from the sources
static-syms.h: $(CODEL_TC)/q_codel.c $(CODEL_TC)/q_fq_codel.c
