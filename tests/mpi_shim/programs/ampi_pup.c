// Every rank migrates again and again with a heap array that its pup function packs, and counts what was called.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef AMPI
#error "compiled without -ampi"
#endif

typedef struct {
  long length;
  double* cells;
  int packed, unpacked;
} Field;

static int before_moves, after_moves;

static void count_before(void) { ++before_moves; }
static void count_after(void) { ++after_moves; }

static void pup_field(pup_er p, void* data) {
  Field* field = data;
  pup_long(p, &field->length);
  if (pup_isUnpacking(p)) {
    ++field->unpacked;
    field->cells = malloc((size_t)field->length * sizeof *field->cells);
  }
  pup_doubles(p, field->cells, (size_t)field->length);
  if (pup_isDeleting(p)) {
    ++field->packed;
    free(field->cells);
    field->cells = NULL;
  }
}

static int place(int keyval) {
  int *value = NULL, flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag);
  return flag ? *value : -1;
}

static void require(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, index = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Field field = {200000 + rank, NULL, 0, 0};
  field.cells = malloc((size_t)field.length * sizeof *field.cells);
  for (long i = 0; i < field.length; ++i) field.cells[i] = (double)rank + (double)i;
  AMPI_Register_pup((MPI_PupFn)pup_field, &field, &index);
  AMPI_Register_about_to_migrate(count_before);
  AMPI_Register_just_migrated(count_after);

  int moves = 0, crossings = 0;
  for (int step = 1; step <= 6; ++step) {
    const int worker = place(AMPI_MY_WTH), process = place(AMPI_MY_PROCESS);
    AMPI_Migrate(AMPI_INFO_LB_SYNC);
    moves += place(AMPI_MY_WTH) != worker;
    crossings += place(AMPI_MY_PROCESS) != process;
    require(field.packed == crossings && field.unpacked == crossings, "packed once for each crossing");
    require(before_moves == moves && after_moves == moves, "called back around each move");
    for (long i = 0; i < field.length; ++i) {
      require(field.cells[i] == (double)rank + (double)i + step - 1, "contents");
      field.cells[i] += 1;
    }
  }
  require(place(AMPI_NUM_PROCESSES) == 1 ? crossings == 0 : crossings == moves, "moves between processes");

  AMPI_Set_migratable(0);
  const int worker = place(AMPI_MY_WTH);
  AMPI_Migrate(AMPI_INFO_LB_SYNC);
  require(place(AMPI_MY_WTH) == worker, "a rank that is not migratable stays");
  free(field.cells);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all fields right\n");
  MPI_Finalize();
  return 0;
}
