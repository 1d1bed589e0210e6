/* CHECK counts what does not hold; main returns the count. */
#pragma once

#include <stdio.h>

#include "host.h"

static int failures;

#define CHECK(x)                                                                                  \
  do {                                                                                            \
    if (!(x)) {                                                                                   \
      failures++;                                                                                 \
      fprintf(stderr, "rank %d: %s:%d: %s does not hold\n", host_rank(), __FILE__, __LINE__, #x); \
    }                                                                                             \
  } while (0)
