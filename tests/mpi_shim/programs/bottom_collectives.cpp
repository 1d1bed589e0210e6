// Collective calls that move data.
#include <initializer_list>
#include <vector>

#include "bottom.hpp"

namespace {

int root() { return size - 1; }

// One block of an area for each member, by displacements that are addresses, from MPI_BOTTOM on.
template <typename N>
struct Places {
  Places(const Area& area, int members) : page(0, area.stride()), counts(members), displacements(members) {
    // Wide displacements reach every address in units of a predefined type too.
    const bool predefined = !std::is_same_v<N, int> && area.stride() == 1;
    type = predefined ? MPI_INT : static_cast<MPI_Datatype>(page);
    for (int i = 0; i < members; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const MPI_Aint unit = predefined ? static_cast<MPI_Aint>(sizeof(int)) : static_cast<MPI_Aint>(kPage);
      counts[at] = predefined ? kValues : 1;
      displacements[at] = static_cast<N>(area.address(i) / unit);
      if (displacements[at] * unit != area.address(i) && ++faults > 0) {
        std::fprintf(stderr, "WRONG: address %lx is no displacement\n", static_cast<unsigned long>(area.address(i)));
      }
    }
  }

  Type page;
  MPI_Datatype type;
  std::vector<N> counts, displacements;
};

template <typename N>
void bcast(Form form) {
  Area area(1);
  if (rank == root()) {
    area.fill([](int b, int k) { return value(rank, b, k); });
  }
  const Type type(area);
  WEFT_COLLECTIVE(Bcast, bcast, MPI_BOTTOM, 1, type, root(), world)
  area.expect("MPI_Bcast", [](int b, int k) { return value(root(), b, k); });
}

// What the root has before and after a gather or scatter.
int of_member(int b, int k) { return value(b, 0, k); }

template <typename N>
void gather(Form form, bool in_place) {
  Area mine(1), all(size);
  mine.fill([](int, int k) { return value(rank, 0, k); });
  if (in_place && rank == root()) {
    all.fill(rank, of_member);
  }
  const Type from(mine), into(all);
  const void* const sendbuf = in_place && rank == root() ? MPI_IN_PLACE : MPI_BOTTOM;
  WEFT_COLLECTIVE(Gather, gather, sendbuf, 1, from, MPI_BOTTOM, 1, into, root(), world)
  rank == root() ? all.expect("MPI_Gather", of_member) : all.expect_untouched("MPI_Gather");
}

template <typename N>
void gatherv(Form form, int stride) {
  Area mine(1), all(size, stride);
  mine.fill([](int, int k) { return value(rank, 0, k); });
  const Type from(mine);
  const Places<N> places(all, size);
  WEFT_COLLECTIVE(Gatherv, gatherv, MPI_BOTTOM, 1, from, MPI_BOTTOM, places.counts.data(), places.displacements.data(),
                  places.type, root(), world)
  rank == root() ? all.expect("MPI_Gatherv", of_member) : all.expect_untouched("MPI_Gatherv");
}

template <typename N>
void scatter(Form form, bool in_place) {
  Area mine(1), all(size);
  all.fill(of_member);
  const Type from(all), into(mine);
  const bool stays = in_place && rank == root();
  void* const recvbuf = stays ? MPI_IN_PLACE : MPI_BOTTOM;
  WEFT_COLLECTIVE(Scatter, scatter, MPI_BOTTOM, 1, from, recvbuf, 1, into, root(), world)
  stays ? mine.expect_untouched("MPI_Scatter")
        : mine.expect("MPI_Scatter", [](int, int k) { return value(rank, 0, k); });
}

template <typename N>
void scatterv(Form form, int stride) {
  Area mine(1), all(size, stride);
  all.fill(of_member);
  const Type into(mine);
  const Places<N> places(all, size);
  WEFT_COLLECTIVE(Scatterv, scatterv, MPI_BOTTOM, places.counts.data(), places.displacements.data(), places.type,
                  MPI_BOTTOM, 1, into, root(), world)
  mine.expect("MPI_Scatterv", [](int, int k) { return value(rank, 0, k); });
}

template <typename N>
void allgather(Form form, bool in_place) {
  Area mine(1), all(size);
  mine.fill([](int, int k) { return value(rank, 0, k); });
  if (in_place) {
    all.fill(rank, of_member);
  }
  const Type from(mine), into(all);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : MPI_BOTTOM;
  WEFT_COLLECTIVE(Allgather, allgather, sendbuf, 1, from, MPI_BOTTOM, 1, into, world)
  all.expect("MPI_Allgather", of_member);
}

template <typename N>
void allgatherv(Form form, int stride) {
  Area mine(1), all(size, stride);
  mine.fill([](int, int k) { return value(rank, 0, k); });
  const Type from(mine);
  const Places<N> places(all, size);
  WEFT_COLLECTIVE(Allgatherv, allgatherv, MPI_BOTTOM, 1, from, MPI_BOTTOM, places.counts.data(),
                  places.displacements.data(), places.type, world)
  all.expect("MPI_Allgatherv", of_member);
}

// What a rank has for member b, and what it gets from member b.
int for_member(int b, int k) { return value(rank, b, k); }
int from_member(int b, int k) { return value(b, rank, k); }

template <typename N>
void alltoall(Form form, bool in_place) {
  Area out(size), in(size);
  (in_place ? in : out).fill(for_member);
  const Type from(out), into(in);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : MPI_BOTTOM;
  WEFT_COLLECTIVE(Alltoall, alltoall, sendbuf, 1, from, MPI_BOTTOM, 1, into, world)
  in.expect("MPI_Alltoall", from_member);
}

template <typename N>
void alltoallv(Form form, int stride) {
  Area out(size), in(size, stride);
  out.fill(for_member);
  const Places<N> from(out, size), into(in, size);
  WEFT_COLLECTIVE(Alltoallv, alltoallv, MPI_BOTTOM, from.counts.data(), from.displacements.data(), from.type,
                  MPI_BOTTOM, into.counts.data(), into.displacements.data(), into.type, world)
  in.expect("MPI_Alltoallv", from_member);
}

// Blocks with a type each. Displacements are in bytes: wide ones are addresses, others leave these to the types.
template <typename N, typename Displacement>
struct TypedPlaces {
  static constexpr bool kReaches = !std::is_same_v<Displacement, int>;
  TypedPlaces(const Area& area, int members) : counts(members, kReaches ? kValues : 1), displacements(members) {
    for (int i = 0; i < members; ++i) {
      const MPI_Aint address = area.address(i);
      displacements[static_cast<std::size_t>(i)] = kReaches ? static_cast<Displacement>(address) : 0;
      MPI_Datatype type = MPI_INT;
      if (!kReaches) {
        MPI_Type_create_hindexed_block(1, kValues, &address, MPI_INT, &type);
        MPI_Type_commit(&type);
      }
      types.push_back(type);
    }
  }
  ~TypedPlaces() {
    for (MPI_Datatype& type : types) {
      if (type != MPI_INT) {
        MPI_Type_free(&type);
      }
    }
  }
  std::vector<N> counts;
  std::vector<Displacement> displacements;
  std::vector<MPI_Datatype> types;
};

template <typename N>
void alltoallw(Form form) {
  Area out(size, 1), in(size, 1);
  out.fill(for_member);
  const TypedPlaces<N, N> from(out, size), into(in, size);
  WEFT_COLLECTIVE(Alltoallw, alltoallw, MPI_BOTTOM, from.counts.data(), from.displacements.data(), from.types.data(),
                  MPI_BOTTOM, into.counts.data(), into.displacements.data(), into.types.data(), world)
  in.expect("MPI_Alltoallw", from_member);
}

template <typename N>
void call_all(Form form) {
  bcast<N>(form);
  for (const bool in_place : {false, true}) {
    gather<N>(form, in_place);
    scatter<N>(form, in_place);
    allgather<N>(form, in_place);
    alltoall<N>(form, in_place);
  }
  for (const int stride : {1, 2}) {
    gatherv<N>(form, stride);
    scatterv<N>(form, stride);
    allgatherv<N>(form, stride);
    alltoallv<N>(form, stride);
  }
  alltoallw<N>(form);
}

// --- neighbours: in a ring, first the left one, then the right one ---

int neighbour(int b) { return (rank + (b == 0 ? size - 1 : 1)) % size; }
int from_neighbour(int b, int k) { return value(neighbour(b), 0, k); }
int for_me_from_neighbour(int b, int k) { return value(neighbour(b), 1 - b, k); }

template <typename N>
void neighbour_allgathers(Form form, MPI_Comm ring) {
  Area mine(1), all(2), each(2, 1);
  mine.fill([](int, int k) { return value(rank, 0, k); });
  const Type from(mine), into(all);
  WEFT_COLLECTIVE(Neighbor_allgather, neighbor_allgather, MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, ring)
  all.expect("MPI_Neighbor_allgather", from_neighbour);
  const Places<N> places(each, 2);
  WEFT_COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, MPI_BOTTOM, 1, from, MPI_BOTTOM, places.counts.data(),
                  places.displacements.data(), places.type, ring)
  each.expect("MPI_Neighbor_allgatherv", from_neighbour);
}

template <typename N>
void neighbour_alltoalls(Form form, MPI_Comm ring) {
  Area out(2, 1), in(2), inv(2, 1), inw(2, 1);
  out.fill(for_member);
  const Type from(out), into(in);
  WEFT_COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, ring)
  in.expect("MPI_Neighbor_alltoall", for_me_from_neighbour);
  const Places<N> fromv(out, 2), intov(inv, 2);
  WEFT_COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, MPI_BOTTOM, fromv.counts.data(), fromv.displacements.data(),
                  fromv.type, MPI_BOTTOM, intov.counts.data(), intov.displacements.data(), intov.type, ring)
  inv.expect("MPI_Neighbor_alltoallv", for_me_from_neighbour);
  const TypedPlaces<N, MPI_Aint> fromw(out, 2), intow(inw, 2);
  WEFT_COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw, MPI_BOTTOM, fromw.counts.data(), fromw.displacements.data(),
                  fromw.types.data(), MPI_BOTTOM, intow.counts.data(), intow.displacements.data(), intow.types.data(),
                  ring)
  inw.expect("MPI_Neighbor_alltoallw", for_me_from_neighbour);
}

}  // namespace

void call_collectives(Form form) {
  call_all<int>(form);
  call_all<MPI_Count>(form);
}

void call_neighbours(Form form) {
  MPI_Comm ring = MPI_COMM_NULL;
  const int periodic = 1;
  MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
  neighbour_allgathers<int>(form, ring);
  neighbour_allgathers<MPI_Count>(form, ring);
  neighbour_alltoalls<int>(form, ring);
  neighbour_alltoalls<MPI_Count>(form, ring);
  MPI_Comm_free(&ring);
}
