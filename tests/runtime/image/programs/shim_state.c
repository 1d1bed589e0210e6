/* The C library's hidden state: each rank sets its own, lets the others run, and finds it as it left it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "shim_check.h"

extern char** environ;
static int rank;

static void random_numbers(void) {
  char state[64];
  srand((unsigned)rank + 1);
  srand48(rank);
  const int first = rand();
  const double first48 = drand48();
  host_yield();
  const int second = rand();
  const double second48 = drand48();
  srand((unsigned)rank + 1);
  srand48(rank);
  CHECK(rand() == first && rand() == second);
  CHECK(drand48() == first48 && drand48() == second48);
  char* before = initstate(5, state, sizeof state);
  const long third = random();
  host_yield();
  setstate(before);
  CHECK(initstate(5, state, sizeof state) == before && random() == third);
  setstate(before);
}

static void tokens_and_texts(void) {
  char text[32];
  snprintf(text, sizeof text, "%d,y,z", rank);
  char* number = strtok(text, ",");
  host_yield();
  CHECK(atoi(number) == rank && strcmp(strtok(NULL, ","), "y") == 0);
  host_yield();
  CHECK(strcmp(strtok(NULL, ","), "z") == 0 && strtok(NULL, ",") == NULL);
  char expected[32];
  snprintf(expected, sizeof expected, "Unknown error %d", 5000 + rank);
  char* error = strerror(5000 + rank);
  char* digits = l64a(100000 + rank);
  const struct in_addr address = {htonl(0x7F000000U + (unsigned)rank)};
  char* dotted = inet_ntoa(address);
  const double gamma = lgamma(rank % 2 == 0 ? 3.0 : -0.5);
  host_yield();
  CHECK(strcmp(error, expected) == 0 && a64l(digits) == 100000 + rank);
  CHECK(inet_addr(dotted) == address.s_addr && strcmp(strerror(ENOENT), "No such file or directory") == 0);
  CHECK(signgam == (rank % 2 == 0 ? 1 : -1) && gamma == lgamma(rank % 2 == 0 ? 3.0 : -0.5));
}

static void times(void) {
  const time_t when = 86400L * rank;
  struct tm* broken_down = gmtime(&when);
  host_yield();
  CHECK(broken_down->tm_yday == rank % 365);
  struct tm copy = *broken_down;
  char expected[32];
  char* text = asctime(&copy);
  host_yield();
  CHECK(strcmp(text, asctime_r(&copy, expected)) == 0);
  CHECK(strcmp(ctime(&when), ctime_r(&when, expected)) == 0);
}

static void environment(void) {
  char value[32];
  snprintf(value, sizeof value, "%d", rank);
  CHECK(getenv("PATH") != NULL);
  CHECK(getenv("SHIM_TEST_OWN") == NULL);
  setenv("SHIM_TEST_OWN", value, 1);
  host_yield();
  CHECK(getenv("SHIM_TEST_OWN") != NULL && atoi(getenv("SHIM_TEST_OWN")) == rank);
  setenv("SHIM_TEST_OWN", "no", 0);
  CHECK(atoi(getenv("SHIM_TEST_OWN")) == rank);
  static char entry[] = "SHIM_TEST_OWN=put";
  putenv(entry);
  CHECK(strcmp(getenv("SHIM_TEST_OWN"), "put") == 0);
  unsetenv("SHIM_TEST_OWN");
  CHECK(getenv("SHIM_TEST_OWN") == NULL);
  CHECK(setenv("a=b", "", 1) == -1 && errno == EINVAL);
  clearenv();
  CHECK(getenv("PATH") == NULL && (environ == NULL || *environ == NULL));
  setenv("AGAIN", "1", 1);
  CHECK(strcmp(environ[0], "AGAIN=1") == 0 && environ[1] == NULL);
}

static int visited, last_visited;

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void visit(const void* node, VISIT when, int depth) {
  (void)depth;
  if (when == postorder || when == leaf) {
    const int value = **(int* const*)node;
    CHECK(visited == 0 || value > last_visited);
    last_visited = value;
    visited++;
  }
}

static void ignore(void* key) { (void)key; }

static void tables(void) {
  static char names[200][8];
  CHECK(hcreate(200) != 0);
  for (int i = 0; i < 200; ++i) {
    snprintf(names[i], sizeof names[i], "k%d", i);
    const ENTRY entry = {names[i], (void*)(long)(i * 10 + rank)};
    CHECK(hsearch(entry, ENTER) != NULL);
  }
  const ENTRY more = {"one too many", NULL};
  CHECK(hsearch(more, ENTER) == NULL && errno == ENOMEM);
  host_yield();
  const ENTRY wanted = {"k150", NULL};
  ENTRY* found = hsearch(wanted, FIND);
  CHECK(found != NULL && found->data == (void*)(long)(1500 + rank));
  hdestroy();

  static int numbers[1000];
  void* root = NULL;
  for (int i = 0; i < 1000; ++i) {
    numbers[i] = (i * 7919) % 1009;
    CHECK(**(int**)tsearch(&numbers[i], &root, compare) == numbers[i]);
  }
  const int twice = numbers[3];
  CHECK(*(int**)tsearch(&twice, &root, compare) == &numbers[3]);
  for (int i = 0; i < 500; ++i) {
    CHECK(tdelete(&numbers[i], &root, compare) != NULL && tfind(&numbers[i], &root, compare) == NULL);
  }
  twalk(root, visit);
  CHECK(visited == 500 && tfind(&numbers[700], &root, compare) != NULL);
  tdestroy(root, ignore);
}

static void wide_characters(void) {
  wchar_t wide = 0;
  mbrtowc(NULL, NULL, 0, NULL);
  CHECK(mbrtowc(&wide, "a", 1, NULL) == 1 && wide == L'a');
  CHECK(mblen("a", 1) == 1 && mbtowc(&wide, "b", 1) == 1 && wide == L'b');
  char bytes[8];
  CHECK(wctomb(bytes, L'c') == 1 && bytes[0] == 'c');
  wchar_t* copy = wcsdup(L"copy");
  CHECK(wcscmp(copy, L"copy") == 0);
  free(copy);
}

static void keys(void) {
  pthread_key_t made[127];
  for (int i = 0; i < 127; ++i) {
    CHECK(pthread_key_create(&made[i], NULL) == 0 && pthread_getspecific(made[i]) == NULL);
    CHECK(pthread_setspecific(made[i], (void*)(long)(rank * 1000 + i)) == 0);
  }
  host_yield();
  for (int i = 0; i < 127; ++i) {
    CHECK(pthread_getspecific(made[i]) == (void*)(long)(rank * 1000 + i));
    CHECK(pthread_key_delete(made[i]) == 0);
  }
  CHECK(pthread_setspecific(made[5], NULL) == EINVAL);
  pthread_key_t again;
  CHECK(pthread_key_create(&again, NULL) == 0 && pthread_getspecific(again) == NULL);
}

static void jumps(void) {
  static sigjmp_buf mark;
  volatile int passes = 0;
  sigset_t usr2, now;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  const int value = sigsetjmp(mark, 1);
  if (passes++ < 3) {
    sigprocmask(SIG_BLOCK, &usr2, NULL);
    siglongjmp(mark, passes - 1);
  }
  CHECK(value == 2 || value == 3 || value == 1);
  sigprocmask(SIG_BLOCK, NULL, &now);
  CHECK(passes == 4 && sigismember(&now, SIGUSR2) == 0);
  static jmp_buf plain;
  volatile int tried = 0;
  if (setjmp(plain) == 0) {
    host_yield();
    tried = 1;
    longjmp(plain, 0);
  }
  CHECK(tried == 1);
}

static void handler(int signal) { (void)signal; }

static void signals(void) {
  struct sigaction previous;
  CHECK(signal(SIGSEGV, handler) == SIG_DFL);
  host_yield();
  CHECK(sigaction(SIGSEGV, NULL, &previous) == 0 && previous.sa_handler == handler);
  CHECK(signal(SIGSEGV, SIG_DFL) == handler);
}

/* A rank that binds itself must not bind its worker. */
static void cores(void) {
  cpu_set_t before, after, wanted, told;
  CPU_ZERO(&before);
  CPU_ZERO(&after);
  CPU_ZERO(&wanted);
  CPU_SET(rank % sysconf(_SC_NPROCESSORS_CONF), &wanted);
  syscall(SYS_sched_getaffinity, 0, sizeof before, &before);
  CHECK(sched_getaffinity(0, sizeof told, &told) == 0 && CPU_EQUAL(&told, &before));
  if (rank % 2 == 0) {
    CHECK(sched_setaffinity(0, sizeof wanted, &wanted) == 0);
  } else {
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof wanted, &wanted) == 0);
  }
  syscall(SYS_sched_getaffinity, 0, sizeof after, &after);
  CHECK(CPU_EQUAL(&before, &after));
  host_yield();
  CHECK(sched_getaffinity(0, sizeof told, &told) == 0 && CPU_EQUAL(&told, &wanted));
  CHECK(pthread_getaffinity_np(pthread_self(), sizeof told, &told) == 0 && CPU_EQUAL(&told, &wanted));
  CPU_ZERO(&wanted);
  CHECK(sched_setaffinity(0, sizeof wanted, &wanted) == -1 && errno == EINVAL);
}

static void memory(void) {
  char* line = NULL;
  size_t size = 0;
  FILE* file = fopen("/etc/passwd", "r");
  CHECK(file != NULL && getline(&line, &size, file) > 4);
  fclose(file);
  free(line);
  char* text = NULL;
  CHECK(asprintf(&text, "%0300d", rank) == 300 && atoi(text) == rank);
  free(text);
  char* path = realpath("/proc/self/../.", NULL);
  CHECK(path != NULL && strcmp(path, "/proc") == 0);
  free(path);
  char* here = getcwd(NULL, 0);
  CHECK(here != NULL && here[0] == '/');
  free(here);
  CHECK(realloc(malloc(10), 0) == NULL && malloc((size_t)1 << 60) == NULL && errno == ENOMEM);
  volatile size_t large = (size_t)1 << 33;
  CHECK(calloc(large, large) == NULL && errno == ENOMEM);
  void* aligned = NULL;
  CHECK(posix_memalign(&aligned, 24, 100) == EINVAL && posix_memalign(&aligned, 4096, 100) == 0);
  CHECK((unsigned long)aligned % 4096 == 0);
  free(aligned);
  char* stream_text = NULL;
  FILE* stream = open_memstream(&stream_text, &size);
  fprintf(stream, "rank %d", rank);
  fclose(stream);
  CHECK(atoi(stream_text + 5) == rank);
  free(stream_text);
  CHECK(getpwuid(0) != NULL && strcmp(getpwuid(0)->pw_name, "root") == 0 && getpwnam("no such user") == NULL);
}

int main(void) {
  rank = host_rank();
  random_numbers();
  tokens_and_texts();
  times();
  environment();
  tables();
  wide_characters();
  keys();
  jumps();
  signals();
  cores();
  memory();
  errno = rank;
  host_yield();
  return failures;
}
