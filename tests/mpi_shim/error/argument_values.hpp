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
#include "tests/mpi_shim/error/argument_holdings.hpp"
#include "tests/mpi_shim/error/argument_notes.hpp"

namespace weft::mpi_shim::fuzz {

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

  // Makes what is missing among what the rank holds; frees everything.
  void stock() { holdings_.stock(random_); }
  void release_all() { holdings_.release_all(); }

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
      notes_.note_number(name, kind, chosen);
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
      notes_.note_number(name, kind, array[i]);
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
  static constexpr int kArray = 64;  // elements of arrays

  template <typename Handle>
  Handle choose() {
    const Handle chosen = choose_any<Handle>();
    if constexpr (std::is_same_v<Handle, MPI_Comm>) {
      return holdings_.is_internal(chosen) ? MPI_COMM_NULL : chosen;
    }
    return chosen;
  }
  template <typename Handle>
  Handle choose_any() {
    const Pool<Handle>& mine = holdings_.pool<Handle>();
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
    notes_.note_handle(handle);
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
    if (holdings_.settle(slot, before, code)) {
      say("returned", "{:#x}", value_of(*slot));
    }
  }

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
        after_.push_back([this, array, before = *array](int code) { holdings_.settle_keyval(*array, before, code); });
      }
    }
    return array;
  }

  std::int64_t choose_number(Numbers kind) { return fuzz::choose_number(random_, kind, holdings_.keyvals()); }

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

  Random random_;
  bool show_;
  const char* call_ = "";
  std::string line_;  // where calls are shown: the call as text, then what it returned
  Holdings holdings_;
  ArgumentNotes notes_;  // of this call
  std::uintptr_t recent_[8] = {};
  std::size_t next_arena_ = 0;
  std::vector<std::byte> scratch_;
  using Memory = std::vector<std::unique_ptr<std::byte[]>>;
  Memory memory_;  // of this call
  Memory kept_;    // of calls that go on
  std::vector<std::function<void(int)>> after_;
};

}  // namespace weft::mpi_shim::fuzz
