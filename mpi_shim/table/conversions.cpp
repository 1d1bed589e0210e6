// Handles as integers and back: a handle is a small integer in a pointer's clothes, in C and in Fortran alike.
#include <bit>
#include <cstdint>
#include <cstring>

#include "mpi.h"

namespace {

template <typename Handle>
int to_int(Handle handle) {
  return static_cast<int>(std::bit_cast<std::intptr_t>(handle));
}

template <typename Handle>
Handle from_int(int value) {
  return std::bit_cast<Handle>(static_cast<std::intptr_t>(value));
}

}  // namespace

extern "C" {

#define WEFT_CONVERSIONS(name, handle)                                        \
  int PMPI_##name##_toint(handle value) { return to_int(value); }             \
  handle PMPI_##name##_fromint(int value) { return from_int<handle>(value); } \
  MPI_Fint PMPI_##name##_c2f(handle value) { return to_int(value); }          \
  handle PMPI_##name##_f2c(MPI_Fint value) { return from_int<handle>(value); }

WEFT_CONVERSIONS(Comm, MPI_Comm)
WEFT_CONVERSIONS(Errhandler, MPI_Errhandler)
WEFT_CONVERSIONS(File, MPI_File)
WEFT_CONVERSIONS(Group, MPI_Group)
WEFT_CONVERSIONS(Info, MPI_Info)
WEFT_CONVERSIONS(Message, MPI_Message)
WEFT_CONVERSIONS(Op, MPI_Op)
WEFT_CONVERSIONS(Request, MPI_Request)
WEFT_CONVERSIONS(Session, MPI_Session)
WEFT_CONVERSIONS(Type, MPI_Datatype)
WEFT_CONVERSIONS(Win, MPI_Win)

#undef WEFT_CONVERSIONS

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int PMPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
  *f08_status = *c_status;
  return MPI_SUCCESS;
}

int PMPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
  *c_status = *f08_status;
  return MPI_SUCCESS;
}

int PMPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) {
  return PMPI_Status_c2f(f08_status, f_status);
}

int PMPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) {
  return PMPI_Status_f2c(f_status, f08_status);
}

// Addresses, and what lies between two of them, may be of either sign: they wrap round.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
}
