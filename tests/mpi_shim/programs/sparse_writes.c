/* Each round a rank writes a few pages of its memory, then all of it is compared with what was written: sparse_writes
   <rounds>. It has pages of the heap, of globals and of mmap(), some of which come and go.

   A file die.R.K in the working directory kills rank R in round K, once: it takes the file away first. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi.h"

enum { WORDS = 512, PAGES = 1600, GLOBAL_PAGES = 300, MAPPED_PAGES = 5, WRITES = 12 };

typedef unsigned long page[WORDS];

static page of_globals[GLOBAL_PAGES];
static int rank;
static unsigned long state; /* of the random numbers */

/* What was written last to each page: each of its words has this value plus its number. */
static unsigned long stamps[PAGES], global_stamps[GLOBAL_PAGES], mapped_stamps[MAPPED_PAGES];

static unsigned long any(unsigned long below) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (state >> 33) % below;
}

static void write_page(page* pages, unsigned long* its_stamps, unsigned long which) {
  its_stamps[which] = state;
  for (int word = 0; word < WORDS; ++word) {
    pages[which][word] = state + (unsigned long)word;
  }
}

static void check(page* pages, const unsigned long* its_stamps, int count, const char* where) {
  for (int i = 0; i < count; ++i) {
    for (int word = 0; word < WORDS; ++word) {
      if (pages[i][word] != its_stamps[i] + (unsigned long)word) {
        printf("rank %d: page %d of the %s is not what was written to it\n", rank, i, where);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
  }
}

static page* new_pages(unsigned long* its_stamps, int count, page* pages) {
  for (int i = 0; i < count; ++i) {
    any(2); /* the next number, for its stamp */
    write_page(pages, its_stamps, (unsigned long)i);
  }
  return pages;
}

static page* map_pages(void) {
  void* const place =
      mmap(NULL, sizeof(page) * MAPPED_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return new_pages(mapped_stamps, MAPPED_PAGES, place);
}

/* Whether the kernel tells Weft which pages of the process are written: a flag of its mappings. */
static int is_watched(void) {
  char line[512];
  int found = 0;
  FILE* const mappings = fopen("/proc/self/smaps", "r");
  while (!found && fgets(line, sizeof line, mappings) != NULL) {
    found = strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " uw") != NULL;
  }
  fclose(mappings);
  return found;
}

static void die_if_asked(int round) {
  char name[64];
  snprintf(name, sizeof name, "die.%d.%d", rank, round);
  if (unlink(name) == 0) {
    raise(SIGKILL);
    pause();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  state = (unsigned long)rank + 1;
  page* heap = new_pages(stamps, PAGES, malloc(sizeof(page) * PAGES));
  page* mapped = map_pages();
  new_pages(global_stamps, GLOBAL_PAGES, of_globals);
  char* passing = NULL;
  for (int round = 0; argc > 1 && round < atoi(argv[1]); ++round) {
    for (int i = 0; i < WRITES; ++i) {
      write_page(heap, stamps, any(PAGES));
    }
    write_page(of_globals, global_stamps, any(GLOBAL_PAGES));
    write_page(mapped, mapped_stamps, any(MAPPED_PAGES));
    if (any(4) == 0) { /* the heap's end moves */
      free(passing);
      passing = calloc(1, any(1 << 20) + 1);
      passing[0] = 1;
    }
    if (any(6) == 0) {
      munmap(mapped, sizeof(page) * MAPPED_PAGES);
      mapped = map_pages();
    }
    die_if_asked(round);
    MPI_Migrate();
    check(heap, stamps, PAGES, "heap");
    check(of_globals, global_stamps, GLOBAL_PAGES, "globals");
    check(mapped, mapped_stamps, MAPPED_PAGES, "mapping");
    if (rank == 0) {
      printf("round %d: %lx\n", round, state);
    }
  }
  printf("rank %d ends with %lx%s\n", rank, state, is_watched() ? ", watched" : "");
  MPI_Finalize();
  return 0;
}
