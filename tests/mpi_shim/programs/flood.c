/* flood <MiB> <way>: each rank of the first half sends so much to one of the second half before the message that this
   one asks for first. Way: wait (MPI_Recv), poll (MPI_Iprobe), match (MPI_Mprobe, MPI_Mrecv), move (ranks may move
   before the messages are received). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { kBytes = 4096, kFlood = 1, kLast = 2 };

static void fill(unsigned char* bytes, int rank, int n) {
  for (int i = 0; i < kBytes; ++i) {
    bytes[i] = (unsigned char)(i + 3 * rank + 7 * n);
  }
}

static void expect(const unsigned char* bytes, int from, int n) {
  unsigned char wanted[kBytes];
  fill(wanted, from, n);
  if (memcmp(bytes, wanted, kBytes) != 0) {
    printf("SPOILT: message %d from rank %d\n", n, from);
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = atoi(argv[1]) * (1 << 20) / kBytes;
  const char* way = argv[2];
  static unsigned char bytes[kBytes];
  const int half = size / 2;
  const int peer = rank < half ? rank + half : rank - half;
  if (rank < half) {
    for (int n = 0; n < count; ++n) {
      fill(bytes, rank, n);
      MPI_Send(bytes, kBytes, MPI_BYTE, peer, kFlood, MPI_COMM_WORLD);
    }
    MPI_Send(NULL, 0, MPI_BYTE, peer, kLast, MPI_COMM_WORLD);
  } else {
    int there = strcmp(way, "poll") != 0;
    while (!there) {
      MPI_Iprobe(peer, kLast, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    MPI_Recv(NULL, 0, MPI_BYTE, peer, kLast, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(way, "move") == 0) {
    MPI_Migrate();
  }
  for (int n = 0; rank >= half && n < count; ++n) {
    if (strcmp(way, "match") == 0) {
      MPI_Message message;
      MPI_Mprobe(peer, kFlood, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(bytes, kBytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(bytes, kBytes, MPI_BYTE, peer, kFlood, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    expect(bytes, peer, n);
  }
  if (rank >= half) {
    printf("rank %d has all %d messages\n", rank, count);
  }
  MPI_Finalize();
  return 0;
}
