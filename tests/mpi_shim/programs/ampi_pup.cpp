// As ampi_pup.c, with PUP::er and containers of the standard library.
#include <mpi.h>

#include <cstdio>
#include <memory>
#include "charm++.h"

namespace {

struct Cell {
  double value = 0;
  std::string name;
  void pup(PUP::er& p) {
    p | value;
    p | name;
  }
};

class Field {
 public:
  explicit Field(int rank) : grid_(new double[kCells]) {
    for (int i = 0; i < kCells; ++i) {
      grid_[i] = rank + i;
    }
    for (int i = 0; i < 50; ++i) {
      Cell cell;
      cell.value = rank * i;
      cell.name = std::string(static_cast<std::size_t>(i), 'x');
      cells_.push_back(cell);
      index_[cell.name] = i;
    }
  }
  ~Field() { delete[] grid_; }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  void pup(PUP::er& p) {
    p | cells_;
    p | index_;
    if (p.isUnpacking()) {
      grid_ = new double[kCells];
      ++unpacked;
    }
    p(grid_, kCells);
    if (p.isDeleting()) {
      delete[] grid_;
      grid_ = nullptr;
      std::vector<Cell>().swap(cells_);
      index_.clear();
    }
  }

  bool is_right(int rank) const {
    if (cells_.size() != 50 || index_.size() != 50 || grid_[kCells - 1] != rank + kCells - 1) {
      return false;
    }
    for (int i = 0; i < 50; ++i) {
      const Cell& cell = cells_[static_cast<std::size_t>(i)];
      if (cell.value != rank * i || index_.at(cell.name) != i) {
        return false;
      }
    }
    return true;
  }

  int unpacked = 0;

 private:
  static const int kCells = 100000;
  double* grid_;
  std::vector<Cell> cells_;
  std::map<std::string, int> index_;
};

void pup_field(pup_er p, void* data) { *static_cast<PUP::er*>(p) | *static_cast<Field*>(data); }

int process() {
  int* value = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, static_cast<void*>(&value), &flag);
  return flag != 0 ? *value : -1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::unique_ptr<Field> field(new Field(rank));
  int index = 0;
  AMPI_Register_pup(pup_field, field.get(), &index);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "ampi_load_balance", "sync");
  int crossings = 0;
  for (int step = 0; step < 5; ++step) {
    const int before = process();
    AMPI_Migrate(info);
    crossings += process() != before ? 1 : 0;
    if (!field->is_right(rank) || field->unpacked != crossings) {
      std::fprintf(stderr, "rank %d: wrong after step %d\n", rank, step);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Info_free(&info);
  field.reset();
  AMPI_Set_migratable(0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("all fields right\n");
  }
  MPI_Finalize();
  return 0;
}
