// What the rank that makes random calls holds between them: handles, key values, memory, and data for buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mpi.h"
#include "tests/mpi_shim/error/argument_pools.hpp"
#include "tests/mpi_shim/p2p/fuzz_settings.hpp"

namespace weft::mpi_shim::fuzz {

template <typename Handle>
std::uintptr_t value_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// Of a rank that is alone in its world.
class Holdings {
 public:
  static constexpr int kRoom = 8192;  // bytes of data in a call
  static constexpr std::size_t kArenas = 4;
  static constexpr std::uintptr_t kFirstReturned = 0x400;  // lower handles are the standard's

  explicit Holdings(std::string folder);

  // Makes what is missing, frees what is too much.
  void stock(Random& random);
  void release_all();

  template <typename Handle>
  Pool<Handle>& pool() {
    return std::get<Pool<Handle>>(pools_);
  }
  std::vector<int>& keyvals() { return keyvals_; }
  std::vector<void*>& allocated() { return allocated_; }  // by MPI_Alloc_mem
  const std::string& folder() const { return folder_; }   // for files
  std::byte* data(std::size_t arena);                     // kRoom bytes and far more on both sides, all zero
  bool is_live(MPI_Errhandler handler);                   // was returned and not freed
  // Whether this number, which the rank had freed, now stands for a communicator of a window, of a file or to come.
  bool is_internal(MPI_Comm comm);

  // A call has returned `code`, and what was `before` in the slot is what is there now. Whether it returned a handle.
  template <typename Handle>
  bool settle(Handle* slot, Handle before, int code) {
    if (*slot == before) {
      if (code == MPI_SUCCESS && before == Handle{} && std::is_same_v<Handle, MPI_Comm>) {
        late_comms_.push_back(reinterpret_cast<MPI_Comm*>(slot));  // MPI_Comm_idup may set it when it completes
      }
      return false;
    }
    if (value_of(before) >= kFirstReturned) {
      pool<Handle>().forget(before);
    }
    if (value_of(*slot) < kFirstReturned) {
      return false;
    }
    add(*slot);
    return true;
  }
  void settle_keyval(int now, int before, int code);
  void settle_late_comms();

 private:
  static constexpr int kArena = 1 << 20;

  // Errors of its calls return.
  template <typename Handle>
  void add(Handle handle) {
    if constexpr (std::is_same_v<Handle, MPI_Win>) {
      PMPI_Win_set_errhandler(handle, MPI_ERRORS_RETURN);
    } else if constexpr (std::is_same_v<Handle, MPI_Comm>) {
      PMPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN);
    } else if constexpr (std::is_same_v<Handle, MPI_Session>) {
      PMPI_Session_set_errhandler(handle, MPI_ERRORS_RETURN);
    }
    pool<Handle>().add(handle);
  }
  void stock_comms();
  void stock_types();
  void stock_requests();
  void stock_windows();
  void stock_others();
  bool retire(MPI_Request request);
  void drain(MPI_Comm comm);
  void close_window(MPI_Win window);
  void close_file(MPI_File file);
  template <typename Handle, typename Free>
  void release(std::size_t leave, Free&& free);
  void release(std::size_t leave);

  std::string folder_;
  Pools pools_;
  std::vector<int> keyvals_;
  std::vector<void*> allocated_;
  std::vector<MPI_Comm*> late_comms_;  // that a call which goes on will set
  std::vector<std::byte> arenas_[kArenas];
};

}  // namespace weft::mpi_shim::fuzz
