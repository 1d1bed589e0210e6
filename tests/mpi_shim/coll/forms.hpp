// Every collective call in its three forms on the same arguments, so that tests can compare what they give.
#pragma once

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {

enum class Form : std::uint8_t { blocking, request, persistent };

enum class Call : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan
};
inline constexpr int kCalls = static_cast<int>(Call::exscan) + 1;

// One rank's arguments of one call on a communicator of `size` members, blocks of n doubles. Roots and uneven blocks
// follow from the sizes alone. On an intercommunicator `size` is the other group's.
struct Arguments {
  Arguments(MPI_Comm on, int rank, int members, std::size_t n, int root_rank)
      : comm(on),
        size(members),
        root(root_rank),
        block(static_cast<int>(n)),
        in(rounding_vector(rank, 2 * n * static_cast<std::size_t>(members) + 1)),
        out(in.size(), -1.0),
        counts(static_cast<std::size_t>(members)),
        displacements(counts.size()),
        bytes(counts.size()),
        types(counts.size(), MPI_DOUBLE) {
    // Member i's block has n elements, or none if i is odd: at both ends.
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = i % 2 == 0 ? block : 0;
      displacements[i] = static_cast<int>(i * n + 1);
      bytes[i] = displacements[i] * static_cast<int>(sizeof(double));
    }
    mine = counts[static_cast<std::size_t>(rank) % counts.size()];
    sent.assign(counts.size(), mine);
  }

  MPI_Comm comm;
  int size, root, block;
  int mine = 0;
  std::vector<double> in, out;
  std::vector<int> counts, displacements, bytes;
  std::vector<int> sent;  // to each member
  std::vector<MPI_Datatype> types;
  MPI_Op op = MPI_SUM;
  bool in_place = false;

  const void* source() const { return in_place ? MPI_IN_PLACE : static_cast<const void*>(in.data()); }
};

// MPI_Start is left to the caller.
inline int make_call(Call call, Form form, Arguments& a, MPI_Request* request) {
  const auto* const counts = a.counts.data();
  const auto* const places = a.displacements.data();
#define WEFT_FORMS(name, iname, ...)                                   \
  case Call::name:                                                     \
    return form == Form::blocking  ? MPI_##iname(__VA_ARGS__)          \
           : form == Form::request ? MPI_I##name(__VA_ARGS__, request) \
                                   : MPI_##iname##_init(__VA_ARGS__, MPI_INFO_NULL, request);
  switch (call) {
    WEFT_FORMS(barrier, Barrier, a.comm)
    WEFT_FORMS(bcast, Bcast, a.out.data(), a.block, MPI_DOUBLE, a.root, a.comm)
    WEFT_FORMS(gather, Gather, a.in.data(), a.block, MPI_DOUBLE, a.out.data(), a.block, MPI_DOUBLE, a.root, a.comm)
    WEFT_FORMS(gatherv, Gatherv, a.in.data(), a.mine, MPI_DOUBLE, a.out.data(), counts, places, MPI_DOUBLE, a.root,
               a.comm)
    WEFT_FORMS(scatter, Scatter, a.in.data(), a.block, MPI_DOUBLE, a.out.data(), a.block, MPI_DOUBLE, a.root, a.comm)
    WEFT_FORMS(scatterv, Scatterv, a.in.data(), counts, places, MPI_DOUBLE, a.out.data(), a.mine, MPI_DOUBLE, a.root,
               a.comm)
    WEFT_FORMS(allgather, Allgather, a.source(), a.block, MPI_DOUBLE, a.out.data(), a.block, MPI_DOUBLE, a.comm)
    WEFT_FORMS(allgatherv, Allgatherv, a.source(), a.mine, MPI_DOUBLE, a.out.data(), counts, places, MPI_DOUBLE, a.comm)
    WEFT_FORMS(alltoall, Alltoall, a.source(), a.block, MPI_DOUBLE, a.out.data(), a.block, MPI_DOUBLE, a.comm)
    WEFT_FORMS(alltoallv, Alltoallv, a.in.data(), a.sent.data(), places, MPI_DOUBLE, a.out.data(), counts, places,
               MPI_DOUBLE, a.comm)
    WEFT_FORMS(alltoallw, Alltoallw, a.in.data(), a.sent.data(), a.bytes.data(), a.types.data(), a.out.data(), counts,
               a.bytes.data(), a.types.data(), a.comm)
    WEFT_FORMS(reduce, Reduce, a.in.data(), a.out.data(), a.block, MPI_DOUBLE, a.op, a.root, a.comm)
    WEFT_FORMS(allreduce, Allreduce, a.source(), a.out.data(), a.block, MPI_DOUBLE, a.op, a.comm)
    WEFT_FORMS(reduce_scatter, Reduce_scatter, a.source(), a.out.data(), counts, MPI_DOUBLE, a.op, a.comm)
    WEFT_FORMS(reduce_scatter_block, Reduce_scatter_block, a.source(), a.out.data(), a.block, MPI_DOUBLE, a.op, a.comm)
    WEFT_FORMS(scan, Scan, a.source(), a.out.data(), a.block, MPI_DOUBLE, a.op, a.comm)
    WEFT_FORMS(exscan, Exscan, a.source(), a.out.data(), a.block, MPI_DOUBLE, a.op, a.comm)
  }
#undef WEFT_FORMS
  return MPI_ERR_INTERN;
}

// a op b = a * 0.75 + b: neither associative nor commutative in its bits.
inline void decay(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    static_cast<double*>(inout)[i] += 0.75 * static_cast<double*>(in)[i];
  }
}

// An element is four ints, which begin kSkippedInts ints after its address.
inline constexpr int kSkippedInts = 4;
inline MPI_Datatype displaced_ints() {
  const MPI_Aint displacement = kSkippedInts * MPI_Aint{sizeof(int)};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(1, 4, &displacement, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

// A user's operation on such elements: their sum.
inline void add_displaced(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = kSkippedInts; i < kSkippedInts + 4 * *length; ++i) {
    static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
  }
}

}  // namespace weft::mpi_shim
