// MPI_Wtime, MPI_Get_processor_name, MPI_Get_version, MPI_Alloc_mem.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/rma/window.hpp"

namespace {

using weft::mpi_shim::Entry;

constexpr std::size_t kAllocationAlignment = 64;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int get_processor_name(const Entry& entry, char* name, int* resultlen) {
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "the host's name is not known: {}", std::strerror(errno));
  }
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}

int alloc_mem(const Entry& entry, MPI_Aint size, MPI_Info /*info*/, void* baseptr) {
  if (size < 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "size {} is negative", size);
  }
  if (baseptr == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "baseptr");
  }
  void* const block = weft::mpi_shim::rma::allocate(entry.me, kAllocationAlignment, static_cast<std::size_t>(size));
  if (block == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_NO_MEM, "no memory for {} bytes", size);
  }
  std::memcpy(baseptr, &block, sizeof block);
  return MPI_SUCCESS;
}

int free_mem(const Entry& entry, void* base) {
  weft::mpi_shim::rma::deallocate(entry.me, base);
  return MPI_SUCCESS;
}

// Ranks move between cores and hosts, so no hardware resource is bound to one.
int get_hw_resource_info(const Entry& entry, MPI_Info* hw_info) {
  *hw_info = weft::mpi_shim::new_info(entry.me, {});
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int PMPI_Get_library_version(char* version, int* resultlen) {
  const std::string text = fmt::format("Weft {}: over-decomposed MPI, ABI {}.{}; weftinfo lists what is complete",
                                       WEFT_VERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  std::memcpy(version, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

double PMPI_Wtick() { return std::chrono::duration<double>(std::chrono::steady_clock::duration(1)).count(); }

// Profilers replace it; here it records a phase for the simulator.
int PMPI_Pcontrol(int level, ...) {
  if (weft::mpi_shim::calls_are_recorded) [[unlikely]] {
    const Entry entry("MPI_Pcontrol", Entry::kAnytime);
    weft::mpi_shim::trace_event(entry.me, {.kind = weft::trace::EventKind::phase, .value = level});
  }
  return MPI_SUCCESS;
}
}

#include "mpi_shim/generated/environment/environment.inc"
