// Fast path for reductions of one word or less of a predefined type, which are the most frequent. All of it is inline:
// one more function call makes an allreduce between two cores a sixth slower.
#pragma once

#include <cstring>
#include <optional>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/reduce/reduce.hpp"

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
  std::size_t bytes;     // that these are
};

// Copies at most a word, without a call of memcpy for the usual sizes.
inline void copy_word(void* to, const void* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else if (bytes == sizeof(std::uint32_t)) {
    std::memcpy(to, from, sizeof(std::uint32_t));
  } else {
    std::memcpy(to, from, bytes);
  }
}

// Nothing where the call must take the long way, which also finds what is wrong with the arguments; of calls that agree
// all members' or none. The caller looks at recvbuf, if it is to get anything. `comm` is the call's, or null.
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
    return std::nullopt;  // reduce_together() counts, and knows the other ways
  }
  return WordCall{kind, comm, type, call.op, kernel, input, static_cast<std::size_t>(call.count), bytes};
}

// Runs it together with the other members. `word` is 0, and then, if MPI_SUCCESS, the whole result. `fingerprint` is
// Reduction's.
inline int reduce_word(const Entry& entry, const WordCall& call, std::uint64_t fingerprint, std::uint64_t& word) {
  copy_word(&word, call.input, call.bytes);
  return reduce_words(entry, *call.comm,
                      CallSignature::of_reduction(call.kind, 0, call.op, *call.type, call.elements + fingerprint),
                      {call.kernel, call.elements, *call.type}, word);
}

}  // namespace coll
}  // namespace weft::mpi_shim
