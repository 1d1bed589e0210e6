// Handles as users hold them: small integers cast to the ABI's pointer types, so that C and Fortran share one number.
// Predefined handles are the ABI's constants below 0x400; others are (kind << 26) | index into the rank's own table.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace state {

enum class HandleKind : std::uint32_t {
  comm = 1,
  group,
  datatype,
  op,
  request,
  errhandler,
  info,
  message,
  window,
  file,
  session,
  tool_variable,  // MPI_T's control variables
  tool_session,
  tool_counter  // its performance variables
};

inline constexpr std::uint32_t kKindShift = 26;
inline constexpr std::uint32_t kIndexMask = (1U << kKindShift) - 1;
inline constexpr std::uintptr_t kFirstUserHandle = 0x400;

template <typename Handle>
constexpr std::uintptr_t handle_value(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// One per process: whether the call that creates a handle is recorded, for --check. Set before the first such call.
inline std::atomic<bool> creations_are_recorded = false;
// Records that the running call of the calling rank created the handle.
void record_creation(std::uintptr_t handle);

// The objects of one kind that a rank holds. Owned by the rank; an object keeps its address while it is in the table.
template <typename T, HandleKind kind>
class HandleTable {
 public:
  template <typename Handle>
  Handle add(std::unique_ptr<T> object) {
    std::uint32_t index = 0;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(objects_.size());
      objects_.push_back(std::move(object));
    } else {
      index = free_.back();
      free_.pop_back();
      objects_[index] = std::move(object);
    }
    const std::uintptr_t handle = value_of(index);
    if (creations_are_recorded.load(std::memory_order_relaxed)) [[unlikely]] {  // set by MpiLayer::begin()
      record_creation(handle);
    }
    return reinterpret_cast<Handle>(handle);
  }

  // Null when the handle is not one of this table's live handles.
  template <typename Handle>
  T* find(Handle handle) const {
    const std::uintptr_t value = handle_value(handle);
    const std::uintptr_t index = value & kIndexMask;
    if ((value >> kKindShift) != static_cast<std::uintptr_t>(kind) || index >= objects_.size()) {
      return nullptr;
    }
    return objects_[index].get();
  }

  // The handle must be live.
  template <typename Handle>
  std::unique_ptr<T> remove(Handle handle) {
    const auto index = static_cast<std::uint32_t>(handle_value(handle) & kIndexMask);
    free_.push_back(index);
    return std::move(objects_[index]);
  }

  // Handles keep their numbers, and free numbers stay free. `pup_one` packs or unpacks one object.
  template <typename PupOne>
  void pup(pup::Puper& p, PupOne&& pup_one) {
    p | free_;
    auto count = static_cast<std::uint64_t>(objects_.size());
    p | count;
    objects_.resize(count);
    for (auto& object : objects_) {
      bool present = object != nullptr;
      p | present;
      if (p.unpacking()) {
        object = present ? std::make_unique<T>() : nullptr;
      }
      if (present) {
        pup_one(*object);
      }
    }
  }
  void pup(pup::Puper& p) {
    pup(p, [&p](T& object) { p | object; });
  }

  std::size_t live() const { return objects_.size() - free_.size(); }
  template <typename Function>
  void for_each(Function&& function) const {
    for (const auto& object : objects_) {
      if (object) {
        function(*object);
      }
    }
  }

  // The same with the value of each handle.
  template <typename Function>
  void for_each_handle(Function&& function) const {
    for (std::size_t index = 0; index < objects_.size(); ++index) {
      if (objects_[index]) {
        function(value_of(index), *objects_[index]);
      }
    }
  }

 private:
  static std::uintptr_t value_of(std::size_t index) {
    return (static_cast<std::uintptr_t>(kind) << kKindShift) | index;
  }

  std::vector<std::unique_ptr<T>> objects_;
  std::vector<std::uint32_t> free_;
};

}  // namespace state
}  // namespace weft::mpi_shim
