#include "mpi_shim/attribute/attribute_callbacks.hpp"

#include <algorithm>

#include "mpi_shim/attribute/keyval.hpp"

namespace weft::mpi_shim {
inline namespace attribute {

namespace {

// One signature serves objects of every kind, since all handles are pointers.
using CopyFunction = int(void* object, int keyval, void* extra, void* in, void* out, int* flag);
using DeleteFunction = int(void* object, int keyval, void* value, void* extra);

const std::uintptr_t kDup = 1;

// The result of a key value's copy function for one attribute.
struct Copied {
  int error = MPI_SUCCESS;
  int wanted = 0;
  void* value = nullptr;
};

Copied run_copy(RankState& me, const Keyval& keyval, std::uintptr_t object, int number, void* value) {
  const auto function = reinterpret_cast<std::uintptr_t>(keyval.copy);
  if (function == 0 || function == kDup) {
    return {MPI_SUCCESS, function == kDup ? 1 : 0, value};
  }
  Copied copied;
  copied.error = call_program(me, [&] {
    return reinterpret_cast<CopyFunction*>(keyval.copy)(reinterpret_cast<void*>(object), number, keyval.extra_state,
                                                        value, &copied.value, &copied.wanted);
  });
  return copied;
}

int run_delete(RankState& me, const Keyval& keyval, std::uintptr_t object, int number, void* value) {
  if (keyval.remove == nullptr) {
    return MPI_SUCCESS;
  }
  return call_program(me, [&] {
    return reinterpret_cast<DeleteFunction*>(keyval.remove)(reinterpret_cast<void*>(object), number, value,
                                                            keyval.extra_state);
  });
}

auto find(auto& attributes, int number) {
  return std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) { return entry.first == number; });
}

// Keeps a key value while one of its functions runs, which may free it and delete the attributes that use it.
class HeldKeyval {
 public:
  HeldKeyval(RankState& me, int number)
      : keyvals_(me.part<Keyvals>()), number_(number), keyval_(*keyvals_.find(number)) {
    ++keyval_.uses;
  }
  ~HeldKeyval() { keyvals_.release(number_); }
  HeldKeyval(const HeldKeyval&) = delete;
  HeldKeyval& operator=(const HeldKeyval&) = delete;

  Keyval& operator*() const { return keyval_; }
  Keyval* operator->() const { return &keyval_; }

 private:
  Keyvals& keyvals_;
  const int number_;
  Keyval& keyval_;
};

}  // namespace

int copy_attributes(RankState& me, std::uintptr_t old_handle, const Attributes& from, Attributes& to) {
  const Attributes seen(from.begin(), from.end());  // a copy, since a callback may set and delete attributes
  for (const auto& [number, value] : seen) {
    if (find(from, number) == from.end()) {
      continue;
    }
    const HeldKeyval held(me, number);
    const Copied copied = run_copy(me, *held, old_handle, number, value);
    if (copied.error != MPI_SUCCESS) {
      return copied.error;
    }
    if (copied.wanted != 0) {
      ++held->uses;
      to.emplace_back(number, copied.value);
    }
  }
  return MPI_SUCCESS;
}

int delete_attributes(RankState& me, std::uintptr_t handle, Attributes& attributes) {
  while (!attributes.empty()) {
    const auto [number, value] = attributes.back();
    const int error = run_delete(me, *me.part<Keyvals>().find(number), handle, number, value);
    if (error != MPI_SUCCESS) {
      return error;
    }
    if (const auto place = find(attributes, number); place != attributes.end()) {
      attributes.erase(place);
      me.part<Keyvals>().release(number);
    }
  }
  return MPI_SUCCESS;
}

int set_attribute(RankState& me, std::uintptr_t handle, Attributes& attributes, int number, void* value) {
  const HeldKeyval held(me, number);
  if (const auto place = find(attributes, number); place != attributes.end()) {
    if (const int error = run_delete(me, *held, handle, number, place->second); error != MPI_SUCCESS) {
      return error;
    }
  }
  const auto place = find(attributes, number);  // the callback may have moved it
  if (place != attributes.end()) {
    place->second = value;
    return MPI_SUCCESS;
  }
  ++held->uses;
  attributes.emplace_back(number, value);
  return MPI_SUCCESS;
}

int delete_attribute(RankState& me, std::uintptr_t handle, Attributes& attributes, int number) {
  auto place = find(attributes, number);
  if (place == attributes.end()) {
    return MPI_ERR_KEYVAL;
  }
  if (const int error = run_delete(me, *me.part<Keyvals>().find(number), handle, number, place->second);
      error != MPI_SUCCESS) {
    return error;
  }
  place = find(attributes, number);
  if (place != attributes.end()) {
    attributes.erase(place);
    me.part<Keyvals>().release(number);
  }
  return MPI_SUCCESS;
}

}  // namespace attribute
}  // namespace weft::mpi_shim
