/* What keeps a rank in its process, and what its end closes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
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

static void check_closing(int descriptor, const char* words) {
  CHECK(descriptor >= 0);
  check_reason(words);
  close(descriptor);
  check_reason(NULL);
}

/* They mean nothing in another process. */
static void check_other_descriptors(void) {
  sigset_t none;
  sigemptyset(&none);
  check_closing(eventfd(0, 0), "'eventfd' is open");
  check_closing(epoll_create(1), "'epoll' is open");
  check_closing(epoll_create1(0), "'epoll' is open");
  check_closing(timerfd_create(CLOCK_MONOTONIC, 0), "'timerfd' is open");
  check_closing(inotify_init(), "'inotify' is open");
  check_closing(inotify_init1(0), "'inotify' is open");
  check_closing(memfd_create("own", 0), "memfd:own");
  const int signals = signalfd(-1, &none, 0);
  CHECK(signalfd(signals, &none, 0) == signals);
  check_closing(signals, "'signalfd' is open");
  char name[64];
  snprintf(name, sizeof name, "/weft-shim-pinned-%d-%d", (int)getpid(), host_rank());
  const int shared = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  shm_unlink(name);
  check_closing(shared, "has been removed");
}

/* The directory has the descriptor from then on, and closes it. */
static void check_directory_of_descriptor(void) {
  const int descriptor = open("/", O_RDONLY | O_DIRECTORY);
  check_reason("file descriptor '/' is open");
  DIR* const directory = fdopendir(descriptor);
  CHECK(directory != NULL && dirfd(directory) == descriptor);
  check_reason("directory '/' is open");
  closedir(directory);
  check_reason(NULL);
  const int no_directory = open("/dev/null", O_RDONLY);
  CHECK(fdopendir(no_directory) == NULL);
  check_closing(no_directory, "file descriptor '/dev/null' is open");
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
  check_other_descriptors();
  check_directory_of_descriptor();
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
