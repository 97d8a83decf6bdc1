/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The version of the project, and the only place that has it.
 */
#ifndef CODEL_VERSION_H
#define CODEL_VERSION_H

#define CODEL_VERSION "0.9.0"

#endif /* CODEL_VERSION_H */
