/* What the files of weftsim_probe share: the program that weftsim calibrate runs under weftrun (probe.c). */
#pragma once

#include <mpi.h>
#include <stddef.h>

enum { LONGEST = 1 << 20, BATCHES = 10 };

extern int rank, size;
extern int partner; /* of rank 0 */
extern double seconds;
extern char *out, *in; /* of LONGEST bytes */
extern int bytes;      /* length of the messages that are timed */

/* How often each of BATCHES batches repeats a body that takes `once` seconds. */
int repetitions(double once);
/* Rank 0 prints a timing. */
void say(const char* name, int length, double value);
double fastest_batch(double (*body)(int n), int n);
double median(double* samples, size_t count);

/* probe_messages.c: messages between rank 0 and `partner`. Those two ranks call the first one, all ranks the second. */
void time_pair(int eager);
void time_hosts(int eager);
