/* The rank's own getopt and random numbers do exactly what the C library's do. One rank only: it calls those, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "shim_check.h"

#define OF_LIBC(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
enum { kArguments = 7, kSteps = 40 };

static const char* const words[] = {
    "-a",     "-b",       "-bx",     "-ab",     "-abc",   "-c",      "--",     "-",       "plain", "--alpha",
    "--beta", "--beta=1", "--alp",   "--al=3",  "--gam",  "--gamma", "-alpha", "-beta=2", "-z",    "-W",
    "-Wbeta", "--zeta",   "-cvalue", "--beta=", "-gamma", "--a",     "-:",     "other",   "-g",    "--gamm=5"};
static const char* const options[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "ab:W;", "", "-:ab:", "a"};
static int flag;
static const struct option longs[] = {{"alpha", no_argument, NULL, 'a'},      {"beta", required_argument, NULL, 'b'},
                                      {"gamma", optional_argument, &flag, 9}, {"gamut", no_argument, NULL, 'u'},
                                      {"alpine", no_argument, NULL, 'a'},     {NULL, 0, NULL, 0}};

struct step {
  int code, at, bad, index, flag;
  const char* argument;
};

static int is_same_step(const struct step* a, const struct step* b) {
  return a->code == b->code && a->at == b->at && a->bad == b->bad && a->index == b->index && a->flag == b->flag &&
         a->argument == b->argument;
}

typedef int long_parser(int, char* const*, const char*, const struct option*, int*);

struct parser {
  long_parser *all, *only;
  int (*brief)(int, char* const*, const char*);
  int *at, *complain, *bad;
  char** argument;
};

struct command {
  int count;
  char** arguments;
};

/* Way 0 knows letters only, 1 long options too, 2 long ones behind one dash too. */
static int parse(const struct parser* p, int way, struct command command, const char* letters, struct step* steps) {
  const int count = command.count;
  char** const arguments = command.arguments;
  int n = 0;
  *p->at = 0;
  flag = 0;
  for (int code = 0; code != -1 && n < kSteps; ++n) {
    struct step* s = &steps[n];
    s->index = -1;
    *p->bad = 0;
    code = way == 0   ? p->brief(count, arguments, letters)
           : way == 1 ? p->all(count, arguments, letters, longs, &s->index)
                      : p->only(count, arguments, letters, longs, &s->index);
    s->code = code;
    s->at = *p->at;
    s->bad = *p->bad;
    s->flag = flag;
    s->argument = *p->argument;
  }
  return n;
}

static void compare(const struct parser* mine, const struct parser* libc, unsigned seed) {
  char* first[kArguments + 2] = {(char*)"prog"};
  char* second[kArguments + 2] = {(char*)"prog"};
  const int count = 1 + (int)(seed % (kArguments + 1));
  const char* letters = options[seed / 16 % 8];
  const int way = (int)(seed / 128 % 3);
  for (int i = 1; i < count; ++i) {
    seed = seed * 1103515245U + 12345U;
    first[i] = second[i] = (char*)words[(seed >> 16) % (sizeof words / sizeof *words)];
  }
  struct step a[kSteps], b[kSteps];
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  const int n = parse(mine, way, (struct command){count, first}, letters, a);
  CHECK(n == parse(libc, way, (struct command){count, second}, letters, b));
  int same = 1;
  for (int i = 0; i < kSteps; ++i) {
    same &= is_same_step(&a[i], &b[i]);
  }
  CHECK(same && memcmp(first, second, sizeof first) == 0);
  if (failures == 1) {
    for (int i = 0; i < n; ++i) {
      fprintf(stderr, "options '%s' way %d: %d %d %d %d %s, libc %d %d %d %d %s (%s)\n", letters, way, a[i].code,
              a[i].at, a[i].bad, a[i].index, a[i].argument ? a[i].argument : "-", b[i].code, b[i].at, b[i].bad,
              b[i].index, b[i].argument ? b[i].argument : "-", i + 1 < count ? second[i + 1] : "");
    }
    exit(1);
  }
}

static void options_alike(void) {
  const struct parser mine = {getopt_long, getopt_long_only, getopt, &optind, &opterr, &optopt, &optarg};
  const struct parser libc = {OF_LIBC(getopt_long),       OF_LIBC(getopt_long_only),  OF_LIBC(getopt),
                              dlsym(RTLD_NEXT, "optind"), dlsym(RTLD_NEXT, "opterr"), dlsym(RTLD_NEXT, "optopt"),
                              dlsym(RTLD_NEXT, "optarg")};
  *mine.complain = *libc.complain = 0;
  for (unsigned seed = 0; seed < 60000; ++seed) {
    compare(&mine, &libc, seed * 2654435761U >> 3);
  }
  *mine.complain = *libc.complain = 1; /* each message must come twice: the test that runs this looks */
  for (unsigned seed = 0; seed < 300; ++seed) {
    compare(&mine, &libc, seed * 2654435761U >> 3);
  }
}

static void random_numbers_alike(void) {
  CHECK(random() == OF_LIBC(random)() && rand() == OF_LIBC(rand)());
  for (unsigned seed = 0; seed < 50; ++seed) {
    srand(seed);
    OF_LIBC(srand)(seed);
    srand48(seed);
    OF_LIBC(srand48)(seed);
    for (int i = 0; i < 500; ++i) {
      CHECK(rand() == OF_LIBC(rand)() && random() == OF_LIBC(random)());
      CHECK(drand48() == OF_LIBC(drand48)() && lrand48() == OF_LIBC(lrand48)() && mrand48() == OF_LIBC(mrand48)());
    }
  }
  srand(1);
  CHECK(rand() == 1804289383 && rand() == 846930886);
  static char states[2][64];
  initstate(3, states[0], sizeof states[0]);
  OF_LIBC(initstate)(3, states[1], sizeof states[1]);
  CHECK(random() == OF_LIBC(random)());
}

int main(void) {
  random_numbers_alike();
  options_alike();
  return failures;
}
