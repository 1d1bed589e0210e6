// Random arguments for one MPI call after the other: good ones, those at the edges, and wrong ones.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mpi.h"
#include "tests/mpi_shim/error/argument_callbacks.hpp"
#include "tests/mpi_shim/error/argument_pools.hpp"
#include "tests/mpi_shim/p2p/fuzz_settings.hpp"

namespace weft::mpi_shim::fuzz {

// Which numbers an argument is one of.
enum class Numbers {
  any,
  length,  // of an array of the program's, which MPI must believe
  bytes,   // of a buffer of the program's
  closed,  // a file descriptor that is not open
  rank,
  tag,
  count,
  displ,
  logical,
  keyval,
  wide,  // of 64 bits
  mode
};

// When a call is made (argument_guards.cpp).
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

class Arguments;
struct MpiCall {
  const char* name;
  int (*invoke)(Arguments&);  // what the call returns, or kNotCalled
};
std::span<const MpiCall> mpi_calls();  // argument_calls.py writes them

// Lives on the heap: buffers are part of it. Of a rank that is alone in its world.
class Arguments {
 public:
  static constexpr int kNotCalled = INT_MIN + 4711;

  Arguments(std::uint32_t seed, bool show, std::string folder);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Around a call. finish() takes handles that were returned into the pools.
  void begin(const char* call);
  bool may_call(Guard guard, bool asynchronous);
  void finish(int code);

  // Makes what is missing in the pools. (argument_stock.cpp)
  void stock();
  // Frees everything. (argument_stock.cpp)
  void release_all();

  const char* call() const { return call_; }
  Random& random() { return random_; }

  template <typename Handle>
  Handle handle(const char* name) {
    const Handle chosen = choose<Handle>();
    note_handle(chosen);
    say(name, "{:#x}", value_of(chosen));
    return chosen;
  }

  // A pointer to a handle that the call sets, or sets and reads.
  template <typename Handle>
  Handle* handle_slot(const char* name, bool inout) {
    return handle_array<Handle>(name, inout, 1);
  }
  template <typename Handle>
  Handle* handle_slots(const char* name, bool inout) {
    return handle_array<Handle>(name, inout, kArray);
  }
  template <typename Handle>
  const Handle* handles(const char* name) {
    Handle* const array = room_for<Handle>(kArray);
    for (int i = 0; i < kLongArray; ++i) {
      array[i] = choose<Handle>();
      note_handle(array[i]);
    }
    say(name, "[{:#x}, {:#x}, …]", value_of(array[0]), value_of(array[1]));
    return array;
  }

  template <typename Number>
  Number number(const char* name, Numbers kind) {
    const auto chosen = static_cast<Number>(choose_number(kind));
    if constexpr (!std::is_enum_v<Number>) {
      note_number(name, kind, chosen);
      say(name, "{}", chosen);
    }
    return chosen;
  }
  template <typename Number>
  Number* number_slot(const char* name, Numbers kind) {
    return number_array<Number>(name, kind, 1);
  }
  template <typename Number>
  Number* number_slots(const char* name, Numbers kind) {
    return number_array<Number>(name, kind, kArray);
  }
  template <typename Number>
  const Number* numbers(const char* name, Numbers kind) {
    if constexpr (std::is_same_v<Number, int>) {
      if (std::string_view(name).find("weights") != std::string_view::npos && one_in(random_, 3)) {
        say(name, "MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY");
        return one_in(random_, 2) ? MPI_UNWEIGHTED : MPI_WEIGHTS_EMPTY;
      }
    }
    Number* const array = number_array<Number>(name, kind, kArray);
    for (int i = 0; i < kArray; ++i) {
      note_number(name, kind, array[i]);
    }
    return array;
  }

  void* buffer(const char* name, bool or_in_place);  // of kRoom bytes and far more on both sides, all zero
  void* room(const char* name);                      // for what is not data
  void* attachable(const char* name);                // memory that nothing else uses
  void* allocated(const char* name);                 // by MPI_Alloc_mem
  void* pointer_slot(const char* name, bool allocates);
  const char* text(const char* name);
  char* text_room(const char* name);
  const MPI_Status* status(const char* name) { return status_slot(name, false); }
  MPI_Status* status_slot(const char* name, bool or_ignore = true);
  MPI_Status* status_slots(const char* name);
  char** words(const char* name);
  char*** word_lists(const char* name);
  int (*ranges(const char* name))[3];

  template <typename Function>
  Function* callback(const char* name) {
    const int dice = below(random_, 10);
    if (dice < 2 && !std::is_void_v<Function>) {
      const bool copies = std::string_view(name).find("copy") != std::string_view::npos;
      say(name, "{}", copies ? dice : 0);
      return reinterpret_cast<Function*>(static_cast<std::uintptr_t>(copies ? dice : 0));  // 1: MPI_COMM_DUP_FN
    }
    say(name, "a function");
    return &Callback<Function>::call;
  }

 private:
  static constexpr int kArray = 64;     // elements of arrays
  static constexpr int kLongArray = 8;  // of which calls that are told a length use at most these
  static constexpr int kRoom = 8192;    // bytes of data in a call
  static constexpr int kArena = 1 << 20;
  static constexpr std::uintptr_t kFirstReturned = 0x400;  // lower handles are the standard's

  template <typename Handle>
  static std::uintptr_t value_of(Handle handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
  }
  template <typename Handle>
  Pool<Handle>& pool() {
    return std::get<Pool<Handle>>(pools_);
  }

  template <typename Handle>
  Handle choose() {
    const Handle chosen = choose_any<Handle>();
    if constexpr (std::is_same_v<Handle, MPI_Comm>) {
      return is_internal(chosen) ? MPI_COMM_NULL : chosen;
    }
    return chosen;
  }
  // A number that this rank had freed, and that now stands for a communicator of a window, of a file or to come.
  bool is_internal(MPI_Comm comm);
  template <typename Handle>
  Handle choose_any() {
    const Pool<Handle>& mine = pool<Handle>();
    const std::span<const Handle> known = predefined_handles<Handle>();
    const int dice = below(random_, 100);
    if (dice < 60 && !mine.live.empty()) {
      return pick(mine.live);
    }
    if (dice < 88) {
      return pick(known);
    }
    if (dice < 91) {
      return known.front();
    }
    if (dice < 95 && !mine.freed.empty()) {
      return pick(mine.freed);
    }
    return reinterpret_cast<Handle>(strange_handle());
  }
  template <typename Range>
  auto pick(const Range& range) {
    return range[static_cast<std::size_t>(below(random_, static_cast<int>(std::size(range))))];
  }
  std::uintptr_t strange_handle();

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
    recent_[below(random_, 8)] = value_of(handle);
  }

  template <typename Handle>
  Handle* handle_array(const char* name, bool inout, int length) {
    Handle* const array = room_for<Handle>(length);
    for (int i = 0; inout && i < std::min(length, kLongArray); ++i) {
      array[i] = choose<Handle>();
      note_handle(array[i]);
    }
    inout ? say(name, "&{:#x}", value_of(array[0])) : say(name, "&…");
    after_.push_back([this, array, before = std::vector<Handle>(array, array + length)](int code) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        settle(array + i, before[i], code);
      }
    });
    return array;
  }

  template <typename Handle>
  void settle(Handle* slot, Handle before, int code) {
    if (*slot == before) {
      if (code == MPI_SUCCESS && before == Handle{} && std::is_same_v<Handle, MPI_Comm>) {
        late_comms_.push_back(reinterpret_cast<MPI_Comm*>(slot));  // MPI_Comm_idup may set it when it completes
      }
      return;
    }
    if (value_of(before) >= kFirstReturned) {
      pool<Handle>().forget(before);
    }
    if (value_of(*slot) >= kFirstReturned) {
      took(*slot);
      pool<Handle>().add(*slot);
      say("returned", "{:#x}", value_of(*slot));
    }
  }
  template <typename Handle>
  void took(Handle handle) {
    if constexpr (std::is_same_v<Handle, MPI_Win>) {
      PMPI_Win_set_errhandler(handle, MPI_ERRORS_RETURN);
    } else if constexpr (std::is_same_v<Handle, MPI_Comm>) {
      PMPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN);
    } else if constexpr (std::is_same_v<Handle, MPI_Session>) {
      PMPI_Session_set_errhandler(handle, MPI_ERRORS_RETURN);
    }
  }
  void settle_late_comms();

  template <typename Number>
  Number* number_array(const char* name, Numbers kind, int length) {
    Number* const array = room_for<Number>(length);
    const bool tame = length > 1 && below(random_, 5) < 3;
    for (int i = 0; i < length; ++i) {
      array[i] = static_cast<Number>(tame || i >= kLongArray ? below(random_, 3) : choose_number(kind));
    }
    if constexpr (!std::is_enum_v<Number>) {
      length == 1 ? say(name, "&{}", array[0]) : say(name, "[{}, {}, {}, …]", array[0], array[1], array[2]);
    }
    if constexpr (std::is_same_v<Number, int>) {
      if (kind == Numbers::keyval) {
        after_.push_back([this, array, before = *array](int code) { settle_keyval(*array, before, code); });
      }
    }
    return array;
  }
  void settle_keyval(int now, int before, int code);

  std::int64_t choose_number(Numbers kind);
  void note_number(const char* name, Numbers kind, std::int64_t value);
  std::int64_t noted(std::string_view name) const;  // 0 if there is no such argument
  bool has(std::string_view name) const;

  // One address in twenty is null, where the call says what null means or must look: strings, buffers, statuses that
  // may be ignored. Where a result goes or an array lies, the program's address must be good.
  bool null(const char* name);
  template <typename T>
  T* room_for(int elements) {
    auto room = std::make_unique<std::byte[]>(sizeof(T) * static_cast<std::size_t>(elements));
    T* const address = reinterpret_cast<T*>(room.get());
    memory_.push_back(std::move(room));
    return address;
  }
  template <typename... Values>
  void say(const char* name, fmt::format_string<Values...> text, Values&&... values) {
    if (show_) {
      line_ += fmt::format("{}{}={}", line_.ends_with('(') ? "" : ", ", name,
                           fmt::format(text, std::forward<Values>(values)...));
    }
  }

  // Of argument_guards.cpp.
  bool refused() const;  // the call must fail before it touches anything
  bool fits() const;
  bool allowed(Guard guard);
  bool has_message(std::int64_t source, std::int64_t tag, MPI_Comm comm) const;
  bool send_can_be_fetched(std::int64_t dest) const;

  // Of argument_stock.cpp.
  void stock_comms();
  void stock_types();
  void stock_requests();
  void stock_others();
  bool retire(MPI_Request request);
  void drain(MPI_Comm comm);
  void close_window(MPI_Win window);
  template <typename Handle, typename Free>
  void release(std::size_t leave, Free&& free);
  void release(std::size_t leave);

  Random random_;
  bool show_;
  std::string folder_;  // for files
  const char* call_ = "";
  std::string line_;  // where calls are shown: the call as text, then what it returned
  Pools pools_;
  std::vector<int> keyvals_;
  std::vector<void*> allocated_;
  std::uintptr_t recent_[8] = {};
  std::vector<std::byte> arenas_[4];
  std::size_t next_arena_ = 0;
  std::vector<std::byte> scratch_;
  using Memory = std::vector<std::unique_ptr<std::byte[]>>;
  Memory memory_;  // of this call
  Memory kept_;    // of calls that go on
  std::vector<MPI_Comm*> late_comms_;
  std::vector<std::function<void(int)>> after_;
  // What this call's arguments are.
  std::vector<MPI_Comm> comms_;
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Win> windows_;
  std::vector<MPI_Group> groups_;
  std::vector<MPI_Errhandler> errhandlers_;
  std::vector<std::pair<const char*, std::int64_t>> numbers_;
  bool has_data_ = false;       // one of them is a buffer
  bool has_null_data_ = false;  // … and it is MPI_BOTTOM
  std::int64_t most_count_ = 0;
  std::int64_t most_displacement_ = 0;
};

}  // namespace weft::mpi_shim::fuzz
