/* What keeps a rank in its process, and what its end closes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim_check.h"

extern const char* weft_shim_pinned(void);

static void check_reason(const char* words) {
  const char* reason = weft_shim_pinned();
  if (words == NULL ? reason != NULL : reason == NULL || strstr(reason, words) == NULL) {
    fprintf(stderr, "reason '%s', expected '%s'\n", reason != NULL ? reason : "none", words != NULL ? words : "none");
    failures++;
  }
}

int main(void) {
  check_reason(NULL);
  FILE* file = fopen("/etc/passwd", "r");
  check_reason("stream '/etc/passwd'");
  const int descriptor = open("/etc/group", O_RDONLY);
  check_reason("'/etc/group'");
  close(descriptor);
  check_reason("/etc/passwd");
  fclose(file);
  check_reason(NULL);
  DIR* directory = opendir("/");
  check_reason("directory '/'");
  closedir(directory);
  void* mapping = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check_reason("mmap");
  munmap(mapping, 4096);
  check_reason(NULL);
  FILE* left = fopen(getenv("SHIM_TEST_FILE"), "a"); /* this rank's end must write it */
  fprintf(left, "rank %d\n", host_rank());
  return failures;
}
