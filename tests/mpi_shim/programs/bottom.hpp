// Memory that is described by addresses alone, MPI_BOTTOM and a type or displacements, and calls in all their forms.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "mpi.h"
#include "weft.h"

inline int rank, size, faults;
inline const MPI_Comm world = MPI_COMM_WORLD;

inline constexpr int kValues = 3;                // of a block
inline constexpr int kCells = 2 * kValues + 1;   // that are looked at: also those between the values, and one behind
inline constexpr std::size_t kPage = 64 * 1024;  // between blocks: an address divided by it is an int
inline constexpr int kUntouched = -1;

// What rank `from` has as value k of block b.
inline int value(int from, int b, int k) { return 1000 * from + 10 * b + k; }

// Blocks of kValues integers, `stride` cells apart, in memory of their own.
class Area {
 public:
  explicit Area(int blocks, int stride = 2)
      : blocks_(blocks),
        stride_(stride),
        memory_(static_cast<char*>(std::aligned_alloc(kPage, kPage * static_cast<std::size_t>(blocks)))) {
    clear();
  }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
  ~Area() { std::free(memory_); }

  int stride() const { return stride_; }
  char* block(int b) const { return memory_ + kPage * static_cast<std::size_t>(b); }
  MPI_Aint address(int b = 0) const {
    MPI_Aint address = 0;
    MPI_Get_address(block(b), &address);
    return address;
  }
  void clear() {
    for (int b = 0; b < blocks_; ++b) {
      for (int cell = 0; cell < kCells; ++cell) {
        cells(b)[cell] = kUntouched;
      }
    }
  }
  template <typename ValueOf>
  void fill(int b, ValueOf&& value_of) {
    for (int k = 0; k < kValues; ++k) {
      cells(b)[k * stride_] = value_of(b, k);
    }
  }
  template <typename ValueOf>
  void fill(ValueOf&& value_of) {
    for (int b = 0; b < blocks_; ++b) {
      fill(b, value_of);
    }
  }
  // Every block has these values, and nothing else was written.
  template <typename ValueOf>
  void expect(const char* call, ValueOf&& value_of) const {
    for (int b = 0; b < blocks_; ++b) {
      for (int cell = 0; cell < kCells; ++cell) {
        const bool holds = cell % stride_ == 0 && cell / stride_ < kValues;
        const int wanted = holds ? value_of(b, cell / stride_) : kUntouched;
        if (cells(b)[cell] != wanted && ++faults < 20) {
          std::fprintf(stderr, "WRONG: %s, rank %d, block %d, cell %d: %d instead of %d\n", call, rank, b, cell,
                       cells(b)[cell], wanted);
        }
      }
    }
  }
  void expect_untouched(const char* call) const {
    expect(call, [](int, int) { return kUntouched; });
  }

 private:
  int* cells(int b) const { return reinterpret_cast<int*>(block(b)); }

  const int blocks_;
  const int stride_;
  char* const memory_;
};

// A committed type; freed at the end of the scope, where operations may be pending.
class Type {
 public:
  // The values of a block, the first at `offset`; the next block begins a page behind.
  Type(MPI_Aint offset, int stride) {
    MPI_Aint places[kValues];
    for (int k = 0; k < kValues; ++k) {
      places[k] = offset + k * stride * static_cast<MPI_Aint>(sizeof(int));
    }
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(kValues, 1, places, MPI_INT, &block);
    MPI_Type_create_resized(block, offset, kPage, &handle_);
    MPI_Type_free(&block);
    MPI_Type_commit(&handle_);
  }
  // Of the area's blocks from b on, for MPI_BOTTOM.
  explicit Type(const Area& area, int b = 0) : Type(area.address(b), area.stride()) {}
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() { MPI_Type_free(&handle_); }
  operator MPI_Datatype() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

enum class Form { blocking, request, persistent };

// The function for counts of type N.
#define WEFT_WIDTH(function, ...)         \
  if constexpr (std::is_same_v<N, int>) { \
    function(__VA_ARGS__);                \
  } else {                                \
    function##_c(__VA_ARGS__);            \
  }

// The call as `form` says, complete at the end. A persistent one starts after its rank has moved.
#define WEFT_FORMS(now, begin, init, ...)                    \
  {                                                          \
    MPI_Request request = MPI_REQUEST_NULL;                  \
    if (form == Form::blocking) {                            \
      WEFT_WIDTH(now, __VA_ARGS__)                           \
    } else if (form == Form::request) {                      \
      WEFT_WIDTH(begin, __VA_ARGS__, &request)               \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                 \
    } else {                                                 \
      WEFT_WIDTH(init, __VA_ARGS__, MPI_INFO_NULL, &request) \
      MPI_Migrate();                                         \
      MPI_Start(&request);                                   \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                 \
      MPI_Request_free(&request);                            \
    }                                                        \
  }
#define WEFT_COLLECTIVE(name, small, ...) WEFT_FORMS(MPI_##name, MPI_I##small, MPI_##name##_init, __VA_ARGS__)

void call_collectives(Form form);
void call_reductions(Form form);
void call_neighbours(Form form);
void send_messages();
void access_windows();
void access_files();
