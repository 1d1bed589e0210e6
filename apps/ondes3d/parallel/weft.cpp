#include "parallel/weft.hpp"

namespace ondes3d {

#ifdef WEFT_VERSION

namespace {

struct Packed {
  PupFunction pup = nullptr;
  void* object = nullptr;
};

void pup_present(pup_er puper, void* data) {
  if (const auto* const packed = static_cast<Packed*>(data); packed->pup != nullptr) {
    packed->pup(puper, packed->object);
  }
}

}  // namespace

void let_ranks_move() { MPI_Migrate(); }
int worker_count() { return weft_worker_count(); }
int current_worker() { return weft_worker(); }

// What is registered stays so until the program's end; what it points to comes and goes.
void pup_in_moves(PupFunction pup, void* object) {
  static Packed present;
  static bool registered = false;
  present = {pup, object};
  if (!registered && pup != nullptr) {
    int index = 0;
    AMPI_Register_pup(pup_present, &present, &index);
    registered = true;
  }
}

#else

#ifdef AMPI_INFO_LB_SYNC
void let_ranks_move() { AMPI_Migrate(AMPI_INFO_LB_SYNC); }
#else
void let_ranks_move() {}
#endif
int worker_count() { return 0; }
int current_worker() { return 0; }
void pup_in_moves(PupFunction, void*) {}

#endif

}  // namespace ondes3d
