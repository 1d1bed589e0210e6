/* What keeps a rank in its process, and what its end closes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim_check.h"

extern const char* weft_shim_pinned(int several_hosts);

static void check_reason(const char* words) {
  const char* reason = weft_shim_pinned(0);
  if (words == NULL ? reason != NULL : reason == NULL || strstr(reason, words) == NULL) {
    fprintf(stderr, "reason '%s', expected '%s'\n", reason != NULL ? reason : "none", words != NULL ? words : "none");
    failures++;
  }
}

/* Regular files may go along, but not all. */
static void check_files(void) {
  char path[300];
  snprintf(path, sizeof path, "%s-%d", getenv("SHIM_TEST_FILE"), host_rank());
  FILE* file = fopen(path, "w+");
  int descriptor = open(path, O_RDWR);
  const int copy = dup(descriptor);
  check_reason(NULL);
  if (weft_shim_pinned(1) == NULL || strstr(weft_shim_pinned(1), "lies on a file system of its host") == NULL) {
    failures++;
  }
  CHECK(fileno(file) != descriptor && descriptor >= 512 && copy != descriptor);
  close(copy);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK(fcntl(descriptor, F_SETLK, &lock) == 0);
  check_reason("is locked");
  lock.l_type = F_UNLCK;
  CHECK(fcntl(descriptor, F_SETLK, &lock) == 0);
  check_reason(NULL);
  CHECK(dup2(descriptor, 400 + host_rank()) == 400 + host_rank());
  check_reason("'duplicate' is open");
  close(400 + host_rank());
  CHECK(ungetc('x', file) == 'x');
  check_reason("characters pushed back");
  CHECK(getc(file) == 'x' && getc(file) == EOF);
  check_reason(NULL);
  chmod(path, 0);
  if (geteuid() != 0) {
    check_reason("may not be opened again");
  }
  chmod(path, 0600);
  FILE* converting = fopen("/etc/passwd", "r,ccs=UTF-8");
  check_reason("stream '/etc/passwd'");
  fclose(converting);
  descriptor = (close(descriptor), open("/proc/self/status", O_RDONLY));
  check_reason("is the system's");
  close(descriptor);
  unlink(path);
  check_reason("has been removed");
  fclose(file);
  file = tmpfile();
  check_reason("temporary file");
  fclose(file);
  check_reason(NULL);
}

int main(void) {
  check_reason(NULL);
  FILE* file = fopen("/dev/null", "r");
  check_reason("stream '/dev/null'");
  const int descriptor = open("/dev/zero", O_RDONLY);
  check_reason("'/dev/zero'");
  close(descriptor);
  check_reason("/dev/null");
  fclose(file);
  check_reason(NULL);
  check_files();
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
