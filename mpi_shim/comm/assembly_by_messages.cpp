#include "mpi_shim/comm/assembly_by_messages.hpp"

#include <bit>

#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/failure_errors.hpp"

namespace weft::mpi_shim {
inline namespace comm {

namespace {

Contributions gather(const Peers& peers, std::span<const int> words) {
  Contributions subtree;
  subtree.add(words);
  const Tree tree(peers.rank(), peers.size());
  tree.up([&](int child, int) { subtree.append(Contributions::unpacked(peers.receive_ints(child))); });
  if (!tree.is_root()) {
    peers.send_ints(tree.parent(), subtree.packed());
  }
  return subtree;
}

std::uint32_t reserve(RankState& me, std::uint32_t n) {
  runtime::Job& job = me.rank->job;
  return n == 0 ? 0 : process_comms(job).numbers()->take(job, n);
}

// Called by one member of each group; side 0 sends first.
void exchange(const Peers& peers, int side, std::vector<int>& mine, std::vector<int>& theirs) {
  if (side == 0) {
    peers.send_ints(0, mine);
    theirs = peers.receive_ints(0);
  } else {
    theirs = peers.receive_ints(0);
    peers.send_ints(0, mine);
  }
}

// Called by member 0 of each group.
void assemble_sides(RankState& me, const Communicator& comm, const CountContexts& count, Assembled& assembled) {
  const int side = comm.shared->side;
  if (comm.is_inter()) {
    const Peers others = Peers::across(me, comm, kCommCreationTag + kAcrossTag);
    std::vector<int> mine = assembled.sides[side].packed();
    std::vector<int> theirs;
    exchange(others, side, mine, theirs);
    assembled.sides[1 - side] = Contributions::unpacked(theirs);
    if (side == 0) {
      assembled.first_context = reserve(me, count(assembled));
      others.send_ints(0, {std::bit_cast<int>(assembled.first_context)});
    } else {
      assembled.first_context = std::bit_cast<std::uint32_t>(others.receive_ints(0).front());
    }
  } else {
    assembled.first_context = reserve(me, count(assembled));
  }
}

void share(const Peers& peers, int sides, Assembled& assembled) {
  std::vector<int> all;
  if (peers.rank() == 0) {
    all = {std::bit_cast<int>(assembled.first_context)};
    for (int side = 0; side < sides; ++side) {
      const std::vector<int> row = assembled.sides[side].packed();
      all.push_back(static_cast<int>(row.size()));
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  broadcast_ints(peers, 0, all);
  assembled.first_context = std::bit_cast<std::uint32_t>(all[0]);
  std::span<const int> rest = std::span(all).subspan(1);
  for (int side = 0; side < sides; ++side) {
    const auto length = static_cast<std::size_t>(rest[0]);
    assembled.sides[side] = Contributions::unpacked(rest.subspan(1, length));
    rest = rest.subspan(1 + length);
  }
}

// With --survive api: a barrier, so that no member goes on, and perhaps dies, before all have their result. A member
// that has its result ignores failures of others from here on.
void wait_for_all(const RankState& me, const Peers& peers) {
  if (me.rank->job.failures() == nullptr) {
    return;
  }
  const Tree tree(peers.rank(), peers.size());
  try {
    tree.up([&](int child, int) { peers.receive(child, {}); });
    if (!tree.is_root()) {
      peers.send(tree.parent(), {});
      peers.receive(tree.parent(), {});
    }
    tree.down([&](int child, int) { peers.send(child, {}); });
  } catch (const CallFailed&) {
    return;
  }
}

}  // namespace

std::span<const int> Contributions::of(int member) const {
  const auto i = static_cast<std::size_t>(member);
  const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : words_.size();
  return std::span(words_).subspan(starts_[i], end - starts_[i]);
}

void Contributions::add(std::span<const int> words) {
  starts_.push_back(words_.size());
  words_.insert(words_.end(), words.begin(), words.end());
}

std::vector<int> Contributions::packed() const {
  std::vector<int> row;
  for (int member = 0; member < size(); ++member) {
    const std::span<const int> words = of(member);
    row.push_back(static_cast<int>(words.size()));
    row.insert(row.end(), words.begin(), words.end());
  }
  return row;
}

Contributions Contributions::unpacked(std::span<const int> row) {
  Contributions result;
  while (!row.empty()) {
    const auto length = static_cast<std::size_t>(row[0]);
    result.add(row.subspan(1, length));
    row = row.subspan(1 + length);
  }
  return result;
}

void Contributions::append(const Contributions& others) {
  for (int member = 0; member < others.size(); ++member) {
    add(others.of(member));
  }
}

Assembled assemble_by_messages(RankState& me, const Communicator& comm, std::span<const int> words,
                               const CountContexts& count) {
  const Peers peers = Peers::within(me, comm, kCommCreationTag);
  Assembled assembled;
  assembled.sides[comm.shared->side] = gather(peers, words);
  if (comm.rank == 0) {
    assemble_sides(me, comm, count, assembled);
  }
  share(peers, comm.is_inter() ? 2 : 1, assembled);
  wait_for_all(me, peers);
  return assembled;
}

std::uint32_t agree_on_context(RankState& me, std::uint32_t carrier, const Group& group, int tag) {
  const Peers peers = Peers::by_job_rank(me, carrier, group, tag);
  std::uint32_t context = peers.rank() == 0 ? reserve(me, 1) : 0;
  const Tree tree(peers.rank(), peers.size());
  if (!tree.is_root()) {
    peers.receive(tree.parent(), {&context, sizeof context});
  }
  tree.down([&](int child, int) { peers.send(child, {&context, sizeof context}); });
  wait_for_all(me, peers);
  return context;
}

}  // namespace comm
}  // namespace weft::mpi_shim
