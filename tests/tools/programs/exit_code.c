/* Without MPI: returns its rank-free arguments' count, through exit() in the middle of a line. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  printf("arguments %d, no end of line", argc - 1);
  exit(argc - 1);
}
