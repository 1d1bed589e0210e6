/* A program without MPI: its exit code is the number of its arguments. It calls exit() in the middle of a line. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  printf("arguments %d, no end of line", argc - 1);
  exit(argc - 1);
}
