// Reductions by a function of the program, which finds the values by the type that it is given; and intercommunicators.
#include "bottom.hpp"

namespace {

constexpr int kBlocks = 2;

int root() { return size - 1; }

void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint low = 0;
  MPI_Aint bytes = 0;
  MPI_Type_get_true_extent(*type, &low, &bytes);
  for (int b = 0; b < *count; ++b) {
    for (int k = 0; k < kValues; ++k) {
      const std::uintptr_t offset = static_cast<std::uintptr_t>(low) + static_cast<std::uintptr_t>(b) * kPage +
                                    static_cast<std::uintptr_t>(2 * k) * sizeof(int);
      *reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(inout) + offset) +=
          *reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(in) + offset);
    }
  }
}

int mine(int b, int k) { return value(rank, b, k); }

// Of ranks first, first + step, … below end.
int sum(int b, int k, int end, int first = 0, int step = 1) {
  int all = 0;
  for (int r = first; r < end; r += step) {
    all += value(r, b, k);
  }
  return all;
}
int sum_of_all(int b, int k) { return sum(b, k, size); }

// Two areas, and the address from which on the type of the lower one describes the upper one.
struct Apart {
  explicit Apart(int blocks) : one(blocks), other(blocks) {}
  void* beside() const { return reinterpret_cast<void*>(in.address() - out.address()); }

  Area one, other;
  Area& out = one.block(0) < other.block(0) ? one : other;
  Area& in = &out == &one ? other : one;
};

template <typename N>
void in_place(Form form, MPI_Op op) {
  Area area(kBlocks);
  const Type type(area);
  area.fill(mine);
  const void* const sendbuf = rank == root() ? MPI_IN_PLACE : MPI_BOTTOM;
  WEFT_COLLECTIVE(Reduce, reduce, sendbuf, MPI_BOTTOM, kBlocks, type, op, root(), world)
  rank == root() ? area.expect("MPI_Reduce", sum_of_all) : area.expect("MPI_Reduce", mine);
  area.fill(mine);
  WEFT_COLLECTIVE(Allreduce, allreduce, MPI_IN_PLACE, MPI_BOTTOM, kBlocks, type, op, world)
  area.expect("MPI_Allreduce", sum_of_all);
  area.fill(mine);
  WEFT_COLLECTIVE(Scan, scan, MPI_IN_PLACE, MPI_BOTTOM, kBlocks, type, op, world)
  area.expect("MPI_Scan", [](int b, int k) { return sum(b, k, rank + 1); });
  area.fill(mine);
  WEFT_COLLECTIVE(Exscan, exscan, MPI_IN_PLACE, MPI_BOTTOM, kBlocks, type, op, world)
  area.expect("MPI_Exscan", [](int b, int k) { return rank == 0 ? mine(b, k) : sum(b, k, rank); });
}

template <typename N>
void apart(Form form, MPI_Op op) {
  Apart data(kBlocks), prefix(kBlocks);
  const Type type(data.out), prefix_type(prefix.out);
  data.out.fill(mine);
  prefix.out.fill(mine);
  WEFT_COLLECTIVE(Allreduce, allreduce, MPI_BOTTOM, data.beside(), kBlocks, type, op, world)
  data.in.expect("MPI_Allreduce from MPI_BOTTOM", sum_of_all);
  void* const recvbuf = rank == 0 ? nullptr : prefix.beside();
  WEFT_COLLECTIVE(Exscan, exscan, MPI_BOTTOM, recvbuf, kBlocks, prefix_type, op, world)
  rank == 0 ? prefix.in.expect_untouched("MPI_Exscan from MPI_BOTTOM")
            : prefix.in.expect("MPI_Exscan from MPI_BOTTOM", [](int b, int k) { return sum(b, k, rank); });
}

template <typename N>
void scattered(Form form, MPI_Op op) {
  Apart data(size), again(size);
  const Type type(data.out), type_again(again.out);
  const auto mine_of_all = [](int b, int k) { return b == 0 ? sum(rank, k, size) : kUntouched; };
  data.out.fill(mine);
  again.out.fill(mine);
  WEFT_COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, MPI_BOTTOM, data.beside(), 1, type, op, world)
  data.in.expect("MPI_Reduce_scatter_block", mine_of_all);
  N counts[64];
  for (N& count : counts) {
    count = 1;
  }
  WEFT_COLLECTIVE(Reduce_scatter, reduce_scatter, MPI_BOTTOM, again.beside(), counts, type_again, op, world)
  again.in.expect("MPI_Reduce_scatter", mine_of_all);
  WEFT_COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, world)
  Area block(1);
  block.fill([&](int, int k) { return reinterpret_cast<const int*>(data.out.block(0))[2 * k]; });
  block.expect("MPI_Reduce_scatter_block in place", mine_of_all);
}

template <typename N>
void local(MPI_Op op) {
  Apart data(1);
  const Type type(data.out);
  data.out.fill(mine);
  data.in.fill(mine);
  WEFT_WIDTH(MPI_Reduce_local, MPI_BOTTOM, data.beside(), 1, type, op)
  data.in.expect("MPI_Reduce_local", [](int b, int k) { return 2 * mine(b, k); });
}

// Even and odd ranks; the even ones' first is the root.
template <typename N>
void across(Form form, MPI_Op op, MPI_Comm inter) {
  const int others = 1 - rank % 2;
  const auto theirs = [others](int b, int k) { return sum(b, k, size, others, 2); };
  Apart data(kBlocks);
  Area& own = data.out;
  const Type type(own);
  own.fill(mine);
  const int to = others == 0 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  WEFT_COLLECTIVE(Reduce, reduce, MPI_BOTTOM, MPI_BOTTOM, kBlocks, type, op, to, inter)
  rank == 0 ? own.expect("MPI_Reduce to the other group", theirs) : own.expect("MPI_Reduce to the other group", mine);
  own.fill(mine);
  WEFT_COLLECTIVE(Allreduce, allreduce, MPI_BOTTOM, data.beside(), kBlocks, type, op, inter)
  data.in.expect("MPI_Allreduce with the other group", theirs);
  Area all((size + others) / 2 + 1);
  const Type into(all);
  WEFT_COLLECTIVE(Allgather, allgather, MPI_BOTTOM, 1, type, MPI_BOTTOM, 1, into, inter)
  all.expect("MPI_Allgather from the other group",
             [others](int b, int k) { return 2 * b + others < size ? value(2 * b + others, 0, k) : kUntouched; });
}

void call_across(Form form, MPI_Op op) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(world, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 0, &inter);
  across<int>(form, op, inter);
  across<MPI_Count>(form, op, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

template <typename N>
void call_all(Form form, MPI_Op op) {
  in_place<N>(form, op);
  apart<N>(form, op);
  scattered<N>(form, op);
  local<N>(op);
}

}  // namespace

void call_reductions(Form form) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &op);
  call_all<int>(form, op);
  call_all<MPI_Count>(form, op);
  if (size > 1) {
    call_across(form, op);
  }
  MPI_Op_free(&op);
}
