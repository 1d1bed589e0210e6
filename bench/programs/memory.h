/* Private memory of the calling process. */
#ifndef WEFT_BENCH_MEMORY_H
#define WEFT_BENCH_MEMORY_H

#include <stdio.h>

/* RssAnon of /proc/self/status in KiB; -1 where there is none. */
static long private_kib(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = -1;
  while (status && fgets(line, sizeof line, status)) {
    if (sscanf(line, "RssAnon: %ld", &kib) == 1) {
      break;
    }
  }
  if (status) {
    fclose(status);
  }
  return kib;
}

#endif
