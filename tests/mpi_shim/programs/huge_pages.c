/* Whether large static variables and heaps may lie in huge pages: huge_pages 0|1, where the system has them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 32 << 20 };
static char array[kBytes];

static int may(const void* address) {
  const unsigned long at = (unsigned long)address;
  unsigned long begin = 0, end = 0;
  int here = 0, found = 0;
  char line[512];
  FILE* maps = fopen("/proc/self/smaps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2) {
      here = begin <= at && at < end;
    } else if (here && sscanf(line, "THPeligible: %d", &found) == 1) {
      break;
    }
  }
  if (maps != NULL) fclose(maps);
  return found;
}

static int system_has_them(void) {
  char line[128] = "[never]";
  FILE* file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  if (file != NULL && fgets(line, sizeof line, file) == NULL) strcpy(line, "[never]");
  if (file != NULL) fclose(file);
  return strstr(line, "[never]") == NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wanted = argc > 1 && argv[1][0] == '1' && system_has_them();
  char* block = malloc(kBytes);
  if (may(array + kBytes / 2) == wanted && may(block + kBytes / 2) == wanted) {
    printf("as wanted\n");
  } else {
    printf("WRONG: static %d, heap %d, wanted %d\n", may(array + kBytes / 2), may(block + kBytes / 2), wanted);
  }
  free(block);
  MPI_Finalize();
  return 0;
}
