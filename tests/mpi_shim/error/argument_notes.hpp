// What the arguments of one random call are, and whether it may be made: none that would wait for ever, none that says
// its memory is larger than it is, none that leaves a message which nobody can fetch.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/mpi_shim/error/argument_holdings.hpp"
#include "tests/mpi_shim/error/argument_numbers.hpp"

namespace weft::mpi_shim::fuzz {

// When a call is made.
enum class Guard {
  none,
  send,
  synchronous,
  receive,
  sendrecv,
  partitioned,
  adjacent,
  wait,
  win_start,
  win_wait,
  errhandler_free
};

inline constexpr int kLongArray = 8;  // of arrays calls that are told a length use at most so many elements

class ArgumentNotes {
 public:
  template <typename Handle>
  void note_handle(Handle handle) {
    if constexpr (std::is_same_v<Handle, MPI_Comm>) {
      comms_.push_back(handle);
    } else if constexpr (std::is_same_v<Handle, MPI_Datatype>) {
      types_.push_back(handle);
    } else if constexpr (std::is_same_v<Handle, MPI_Request>) {
      requests_.push_back(handle);
    } else if constexpr (std::is_same_v<Handle, MPI_Win>) {
      windows_.push_back(handle);
    } else if constexpr (std::is_same_v<Handle, MPI_Group>) {
      groups_.push_back(handle);
    } else if constexpr (std::is_same_v<Handle, MPI_Errhandler>) {
      errhandlers_.push_back(handle);
    }
  }
  void note_number(const char* name, Numbers kind, std::int64_t value);
  void note_data() { has_data_ = true; }            // an argument is a buffer
  void note_null_data() { has_null_data_ = true; }  // … and it is MPI_BOTTOM

  bool may_call(Guard guard, Holdings& holdings) const;

 private:
  bool refused() const;  // the call must fail before it touches anything
  bool fits() const;
  bool allowed(Guard guard, Holdings& holdings) const;
  bool has_message(std::int64_t source, std::int64_t tag, MPI_Comm comm) const;
  bool send_can_be_fetched(std::int64_t dest) const;
  bool all_done() const;
  std::int64_t noted(std::string_view name) const;  // 0 if there is no such argument
  bool has(std::string_view name) const;

  std::vector<MPI_Comm> comms_;
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Win> windows_;
  std::vector<MPI_Group> groups_;
  std::vector<MPI_Errhandler> errhandlers_;
  std::vector<std::pair<const char*, std::int64_t>> numbers_;
  bool has_data_ = false;
  bool has_null_data_ = false;
  std::int64_t most_count_ = 0;
  std::int64_t most_displacement_ = 0;
};

}  // namespace weft::mpi_shim::fuzz
