#include "mpi_shim/ampi/puper.hpp"

#include <cstring>

#include <fmt/format.h>

#include "mpi_shim/state/state.hpp"
#include "pup_c.h"

namespace weft::mpi_shim {
inline namespace ampi {
namespace {

Puper& puper_of(const void* p) { return *static_cast<Puper*>(const_cast<void*>(p)); }

int is(const void* p, unsigned mode) { return (puper_of(p).mode & mode) != 0 ? 1 : 0; }

pup_er new_puper(unsigned mode, const void* buffer) {
  auto* const puper = new Puper;
  puper->mode = mode;
  puper->at = static_cast<std::byte*>(const_cast<void*>(buffer));
  return puper;
}

}  // namespace

void Puper::bytes(void* raw, std::size_t count) {
  if (count > bytes_left) {
    const RankState& me = rank_state("pup");
    me.rank->job.abort(1, fmt::format("rank {}: a pup function asks for {} bytes and {} are left: it does not name the "
                                      "same objects when sizing, packing and unpacking",
                                      me.world.rank, count, bytes_left));
  }
  bytes_left -= count;
  size += count;
  if ((mode & (kPacking | kUnpacking)) == 0 || count == 0) {
    return;
  }
  if ((mode & kPacking) != 0) {
    std::memcpy(at, raw, count);
  } else {
    std::memcpy(raw, at, count);
  }
  at += count;
}

}  // namespace ampi
}  // namespace weft::mpi_shim

using weft::mpi_shim::Puper;
using weft::mpi_shim::puper_of;

// pup_<name> and pup_<name>s.
#define WEFT_PUP(name, type)                                              \
  void pup_##name(pup_er p, type* v) { puper_of(p).bytes(v, sizeof *v); } \
  void pup_##name##s(pup_er p, type* arr, std::size_t nItems) { puper_of(p).bytes(arr, nItems * sizeof *arr); }

extern "C" {

int pup_isSizing(const pup_er p) { return weft::mpi_shim::is(p, Puper::kSizing); }
int pup_isPacking(const pup_er p) { return weft::mpi_shim::is(p, Puper::kPacking); }
int pup_isUnpacking(const pup_er p) { return weft::mpi_shim::is(p, Puper::kUnpacking); }
int pup_isDeleting(const pup_er p) { return weft::mpi_shim::is(p, Puper::kDeleting); }
int pup_isUserlevel(const pup_er /*p*/) { return 1; }
int pup_isMigration(const pup_er p) { return weft::mpi_shim::is(p, Puper::kMigration); }
int pup_isCheckpoint(const pup_er /*p*/) { return 0; }
std::size_t pup_size(const pup_er p) { return puper_of(p).size; }

WEFT_PUP(char, char)
WEFT_PUP(uchar, unsigned char)
WEFT_PUP(short, short)
WEFT_PUP(ushort, unsigned short)
WEFT_PUP(int, int)
WEFT_PUP(uint, unsigned int)
WEFT_PUP(long, long)
WEFT_PUP(ulong, unsigned long)
WEFT_PUP(int8, long long)
WEFT_PUP(size_t, std::size_t)
WEFT_PUP(float, float)
WEFT_PUP(double, double)
WEFT_PUP(pointer, void*)
void pup_bytes(pup_er p, void* ptr, std::size_t nBytes) { puper_of(p).bytes(ptr, nBytes); }

pup_er pup_new_sizer() { return weft::mpi_shim::new_puper(Puper::kSizing, nullptr); }
pup_er pup_new_toMem(void* buffer) { return weft::mpi_shim::new_puper(Puper::kPacking, buffer); }
pup_er pup_new_fromMem(const void* buffer) { return weft::mpi_shim::new_puper(Puper::kUnpacking, buffer); }
void pup_destroy(pup_er p) { delete &puper_of(p); }
}
