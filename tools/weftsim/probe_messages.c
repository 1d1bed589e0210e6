/* Times messages between two ranks; see probe.c. */
#include <mpi.h>
#include <weft.h>

#include "probe.h"

enum {
  BURST = 16,
  WINDOW = 64,
  LONG_WINDOW = 4,
  EXCHANGED = 16,
  EXCHANGED_BYTES = 262144,
  LONGEST_FLIGHT = 1024,
  NUMBERS = 2048
};

static const int lengths[] = {0, 256, 1024, 4096, 16384, 65536, 262144, LONGEST};

static void send_one(int to, int tag) { MPI_Send(out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD); }
static void receive_one(int from, int tag) {
  MPI_Recv(in, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void token(int from, int to) {
  if (rank == from) {
    MPI_Send(NULL, 0, MPI_CHAR, to, 9, MPI_COMM_WORLD);
  } else if (rank == to) {
    MPI_Recv(NULL, 0, MPI_CHAR, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Half a round trip. */
static double ping_pong(int n) {
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    if (rank == 0) {
      send_one(partner, 1);
      receive_one(partner, 1);
    } else {
      receive_one(0, 1);
      send_one(0, 1);
    }
  }
  return (MPI_Wtime() - start) / (2 * n);
}

/* A stream of messages that one rank sends to the other, n windows one after the other. */
static void stream(int n, int window) {
  MPI_Request requests[WINDOW];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < window; ++k) {
      if (rank == 0) {
        MPI_Isend(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &requests[k]);
      } else {
        MPI_Irecv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[k]);
      }
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  token(partner, 0);
}

/* Seconds for a message in each direction while streams keep both directions busy. A window has many messages: nothing
 * travels while the first one is announced, and that time should not count much. */
static double exchange(int n) {
  MPI_Request requests[2 * EXCHANGED];
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < EXCHANGED; ++k) {
      MPI_Irecv(in, bytes, MPI_CHAR, rank == 0 ? partner : 0, 1, MPI_COMM_WORLD, &requests[2 * k]);
      MPI_Isend(out, bytes, MPI_CHAR, rank == 0 ? partner : 0, 1, MPI_COMM_WORLD, &requests[2 * k + 1]);
    }
    MPI_Waitall(2 * EXCHANGED, requests, MPI_STATUSES_IGNORE);
  }
  return (MPI_Wtime() - start) / ((double)n * EXCHANGED);
}

/* Seconds for each message of a stream. */
static double flood(int n) {
  const double start = MPI_Wtime();
  stream(n, WINDOW);
  return (MPI_Wtime() - start) / ((double)n * WINDOW);
}

/* Seconds for a switch between two ranks of one worker that yield to each other. */
static double yields(int n) {
  token(partner, 0);
  token(0, partner);
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    AMPI_Yield();
  }
  return (MPI_Wtime() - start) / (2 * n);
}

/* On the sender: seconds for a send while the other rank does not receive. On the receiver: seconds for a receive of a
 * message that has come already, as a token that follows the burst shows. */
static double burst(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    token(partner, 0);
    if (rank == 0) {
      const double start = MPI_Wtime();
      for (int k = 0; k < BURST; ++k) {
        send_one(partner, 1);
      }
      sum += MPI_Wtime() - start;
      token(0, partner);
    } else {
      token(0, partner);
      const double start = MPI_Wtime();
      for (int k = 0; k < BURST; ++k) {
        receive_one(0, 1);
      }
      sum += MPI_Wtime() - start;
    }
  }
  return sum / ((double)n * BURST);
}

/* As repetitions(), for both ranks: by the time of rank 0. */
static int repetitions_of_pair(double once) {
  int n = repetitions(once);
  if (rank == 0) {
    MPI_Send(&n, 1, MPI_INT, partner, 8, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&n, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return n;
}

/* Both ranks of the pair repeat the body as often as rank 0 computes, so that it takes about `seconds`. */
static double timed(double (*body)(int n)) {
  body(1);
  const double start = MPI_Wtime();
  body(4);
  return fastest_batch(body, repetitions_of_pair((MPI_Wtime() - start) / 4));
}

/* The fastest of a few batches of several windows. TCP has adapted its own windows by then. */
static double timed_exchange(void) {
  enum { FEW = 3, WINDOWS = 4 };
  const int windows = repetitions_of_pair(exchange(2) * EXCHANGED);
  double fastest = exchange(WINDOWS);
  for (int i = 1; i < FEW; ++i) {
    const double batch = exchange(windows > WINDOWS ? windows : WINDOWS);
    fastest = batch < fastest ? batch : fastest;
  }
  return fastest;
}

/* Rank 0 prints what it has measured of a send, and `partner` of a receive. */
static void say_both_ends(double measured) {
  double receive = measured;
  if (rank == partner) {
    MPI_Send(&receive, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&receive, 1, MPI_DOUBLE, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  say("send", bytes, measured);
  say("receive", bytes, receive);
}

void time_pair(int eager) {
  if (weft_worker_count() == 1) {
    say("yield", 0, timed(yields));
  }
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    bytes = lengths[i];
    say("ping-pong", bytes, timed(ping_pong));
    if (bytes > eager) {
      continue;
    }
    say_both_ends(timed(burst));
    say("flood", bytes, timed(flood));
  }
}

/* Computes for a millisecond or less in the first cache, as a rank does between two MPI calls. Then the worker's other
 * ranks may run. Returns whether `over` is complete. */
static int compute_piece(MPI_Request* over) {
  static double numbers[NUMBERS];
  for (int k = 0; k < 800; ++k) {
    for (int i = 0; i < NUMBERS; ++i) {
      numbers[i] = numbers[i] * 0.999 + 1.0;
    }
    __asm__ volatile("" : : "r"(numbers) : "memory");
  }
  AMPI_Yield();
  int is_over = 0;
  MPI_Test(over, &is_over, MPI_STATUS_IGNORE);
  return is_over;
}

/* The rank behind a streaming rank, on the same worker: computes alone, lets the other one stream, and computes until
 * that is over. Tells it by how many seconds that took longer than as much computing alone. Returns the pieces that it
 * computed beside the stream. */
static int compute_beside_stream(int pieces_alone) {
  const int streaming = rank - 1;
  MPI_Request over;
  MPI_Irecv(NULL, 0, MPI_CHAR, streaming, 6, MPI_COMM_WORLD, &over);
  double start = MPI_Wtime();
  for (int i = 0; i < pieces_alone; ++i) {
    compute_piece(&over);
  }
  const double alone = (MPI_Wtime() - start) / pieces_alone;
  token(rank, streaming);
  int pieces = 1;
  start = MPI_Wtime();
  while (!compute_piece(&over)) {
    ++pieces;
  }
  const double longer = MPI_Wtime() - start - pieces * alone;
  MPI_Send(&longer, 1, MPI_DOUBLE, streaming, 5, MPI_COMM_WORLD);
  return pieces;
}

/* Streams n windows while the next rank computes. Returns by how many seconds that rank computes longer for each
 * message; sets `took` to the seconds of the stream. */
static double stream_beside_computing(int n, int window, double* took) {
  token(rank + 1, rank);
  token(partner, 0);
  const double start = MPI_Wtime();
  stream(n, window);
  *took = MPI_Wtime() - start;
  MPI_Send(NULL, 0, MPI_CHAR, rank + 1, 6, MPI_COMM_WORLD);
  double longer;
  MPI_Recv(&longer, 1, MPI_DOUBLE, rank + 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return longer / ((double)n * window);
}

/* What a message takes of the workers at both ends. The kernel does much of it outside of MPI calls. */
static void time_shares_of_workers(void) {
  const int window = bytes > 16384 ? LONG_WINDOW : WINDOW;
  const int streams = rank == 0 || rank == partner;
  double each[BATCHES], took;
  int n = 1, pieces = repetitions(1e-3);
  for (int i = -1; i < BATCHES; ++i) { /* the first one finds out how long a window takes */
    MPI_Barrier(MPI_COMM_WORLD);
    if (!streams) {
      const int beside = compute_beside_stream(pieces);
      pieces = beside > pieces ? beside : pieces; /* as exact alone as beside the stream */
      continue;
    }
    const double longer = stream_beside_computing(n, window, &took);
    if (i < 0) {
      n = repetitions_of_pair(took);
    } else {
      each[i] = longer;
    }
  }
  if (streams) {
    /* Not below 1 % of the time: computing may have been slower for another reason while it was alone. */
    const double typical = median(each, BATCHES), least = 0.01 * took / ((double)n * window);
    say_both_ends(typical > least ? typical : least);
  }
}

void time_hosts(int eager) {
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    bytes = lengths[i];
    if (rank == 0 || rank == partner) {
      if (bytes <= LONGEST_FLIGHT) {
        say("ping-pong", bytes, timed(ping_pong)); /* of longer ones the fit makes no use */
      }
      if (bytes <= eager) {
        say("flood", bytes, timed(flood));
      }
      if (bytes == EXCHANGED_BYTES) {
        say("exchange", bytes, timed_exchange());
      }
    }
    time_shares_of_workers();
  }
}
