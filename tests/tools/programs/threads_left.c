/* Every rank ends while a thread that it started goes on, with the rank's heap and variables. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long rounds;

static void* go_on(void* unused) {
  for (;;) {
    char* volatile block = malloc(100);
    block[0] = 1;
    free(block);
    rounds = rounds + 1;
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, &go_on, NULL);
  while (rounds < 10) {
  }
  MPI_Finalize();
  printf("rank %d ends, unfinished line", rank);
  return 0;
}
