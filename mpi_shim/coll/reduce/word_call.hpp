// Fast path for reductions of at most one word of a predefined type, which are the most frequent. All of it is inline:
// one more function call makes an allreduce between two cores a sixth slower.
#pragma once

#include <cstring>
#include <optional>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"

namespace weft::mpi_shim {
inline namespace coll {

struct WordCall {
  Collective kind;
  const Communicator* comm;
  const Datatype* type;
  MPI_Op op;
  Kernel kernel;
  const void* input;
  std::size_t elements;  // of the whole vector
  std::size_t bytes;     // of the whole vector
};

// Copies at most a word; for the usual sizes the compiler emits moves instead of a call of memcpy.
inline void copy_word(void* to, const void* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else if (bytes == sizeof(std::uint32_t)) {
    std::memcpy(to, from, sizeof(std::uint32_t));
  } else {
    std::memcpy(to, from, bytes);
  }
}

// Nothing: the call must take the general path, which also reports wrong arguments. All members of a call with equal
// signatures get the same answer. The caller checks recvbuf, if this member gets a result. `comm` is the call's, or
// null.
inline std::optional<WordCall> find_word_call(const Entry& entry, const Communicator* comm, Collective kind,
                                              const ReduceCall& call) {
  const Datatype* const type = is_predefined(call.datatype) ? predefined_datatype(call.datatype) : nullptr;
  if (comm == nullptr || comm->spans_processes() || comm->team() == nullptr || comm->is_inter() || type == nullptr ||
      !type->contiguous() || call.count <= 0 || call.count > static_cast<MPI_Count>(kWordBytes)) {
    return std::nullopt;
  }
  const std::size_t bytes = static_cast<std::size_t>(call.count) * type->size();
  const Kernel kernel = predefined_kernel(call.op, *type);
  const void* const input = call.sendbuf == MPI_IN_PLACE ? call.recvbuf : call.sendbuf;
  if (bytes > kWordBytes || kernel == nullptr || input == nullptr || call.recvbuf == MPI_IN_PLACE ||
      call.recvbuf == call.sendbuf) {
    return std::nullopt;
  }
  if (entry.me.rank->traffic != nullptr || choose_in_memory(*comm, kind, bytes) != Algorithm::in_memory) [[unlikely]] {
    return std::nullopt;  // reduce_intracomm() counts traffic, and has the other algorithms
  }
  return WordCall{kind, comm, type, call.op, kernel, input, static_cast<std::size_t>(call.count), bytes};
}

// Executes the call. REQUIRES: `word` is 0. On MPI_SUCCESS it is the whole result. `fingerprint` as in Reduction.
inline int reduce_word(const Entry& entry, const WordCall& call, std::uint64_t fingerprint, std::uint64_t& word) {
  copy_word(&word, call.input, call.bytes);
  return reduce_words(entry, *call.comm,
                      CallSignature::of_reduction(call.kind, 0, call.op, *call.type, call.elements + fingerprint),
                      {call.kernel, call.elements, *call.type}, word);
}

}  // namespace coll
}  // namespace weft::mpi_shim
