#include "mpi_shim/collective/reduction.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "mpi_shim/collective/combiner.hpp"
#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim {
namespace {

using runtime::Team;

// When all vectors together are not longer, the member that arrives last combines them: a second meeting costs more.
constexpr std::size_t kSerialBytes = 16384;
constexpr std::size_t kLeastPieceBytes = 1024;

Shown shown(Team& team, std::uint32_t member) {
  const Team::Cell& cell = team.cell(member);
  return {cell.words[0], const_cast<void*>(cell.words[1]), static_cast<const Datatype*>(cell.words[2]),
          reinterpret_cast<std::size_t>(cell.words[3])};
}

void show(Team& team, const Communicator& comm, const Reduction& reduction) {
  Team::Cell& cell = team.cell(static_cast<std::uint32_t>(comm.rank));
  cell.words[0] = reduction.input;
  cell.words[1] = reduction.output;
  cell.words[2] = reduction.type;
  cell.words[3] = reinterpret_cast<const void*>(reduction.count);
}

template <typename Combiner>
void store_spread(Team& team, const Reduction& reduction, const Combiner& combiner, Piece piece) {
  const auto& starts = reduction.starts;
  const std::size_t end = piece.first + piece.count;
  auto block =
      static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), piece.first) - starts.begin()) - 1;
  for (std::size_t at = piece.first; at < end; ++block) {
    const std::size_t n = std::min(end, starts[block + 1]) - at;
    if (n != 0) {
      combiner.store(shown(team, static_cast<std::uint32_t>(block)), at - piece.first, n, at - starts[block]);
    }
    at += n;
  }
}

template <typename Combiner>
void combine_prefixes(Team& team, Combiner& combiner, Piece piece, bool exclusive) {
  combiner.push(shown(team, 0));
  if (!exclusive) {
    combiner.store(shown(team, 0), 0, piece.count, piece.first);
  }
  for (std::uint32_t member = 1; member < team.size(); ++member) {
    const Shown its = shown(team, member);
    // In place, a member's output is its input: read before it is written.
    combiner.advance(its);
    if (exclusive) {
      combiner.store(its, 0, piece.count, piece.first);
    }
    combiner.swap();
    if (!exclusive) {
      combiner.store(its, 0, piece.count, piece.first);
    }
  }
}

template <typename Combiner>
void combine_piece(Team& team, const Reduction& reduction, Piece piece) {
  Combiner combiner(reduction, piece, team.size());
  if (reduction.outcome == Outcome::scan || reduction.outcome == Outcome::exscan) {
    combine_prefixes(team, combiner, piece, reduction.outcome == Outcome::exscan);
    return;
  }
  combine_in_tree(combiner, team.size(),
                  [&](std::size_t member) { return shown(team, static_cast<std::uint32_t>(member)); });
  if (reduction.outcome == Outcome::at_root) {
    combiner.store(shown(team, static_cast<std::uint32_t>(reduction.root)), 0, piece.count, piece.first);
  } else if (reduction.outcome == Outcome::spread) {
    store_spread(team, reduction, combiner, piece);
  } else {
    for (std::uint32_t member = 0; member < team.size(); ++member) {
      combiner.store(shown(team, member), 0, piece.count, piece.first);
    }
  }
}

void combine_piece(Team& team, const Reduction& reduction, Piece piece) {
  if (reduction.own != nullptr) {
    combine_piece<UserCombiner>(team, reduction, piece);
  } else {
    combine_piece<KernelCombiner>(team, reduction, piece);
  }
}

Mark mark_of(const Reduction& reduction) {
  return Mark::of_reduction(reduction.call, reduction.root, reduction.op, *reduction.type,
                            reduction.elements + reduction.fingerprint);
}

// --- all in the meeting ---

// Teams with more members take the pairs one by one.
constexpr std::size_t kFewWords = 128;

// A level at a time: what is at even and what is at odd places become two arrays for one call of the kernel.
std::uint64_t combine_few_words(const std::uint64_t* words, std::size_t n, Kernel kernel, std::size_t in_word) {
  std::uint64_t even[kFewWords / 2], odd[kFewWords / 2];
  for (;;) {
    const std::size_t pairs = n / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      even[i] = words[2 * i];
      odd[i] = words[2 * i + 1];
    }
    kernel(odd, even, pairs * in_word);
    if (n % 2 != 0) {
      even[pairs] = words[n - 1];
    }
    n = (n + 1) / 2;
    if (n == 1) {
      return even[0];
    }
    words = even;
  }
}

// Overwrites the words; n > 1.
std::uint64_t combine_words_in_tree(std::uint64_t* words, std::size_t n, const WordReduction& reduction) {
  const std::size_t bytes = element_bytes(reduction.type);
  if (n <= kFewWords && std::has_single_bit(bytes) && bytes <= kWordBytes) {
    return combine_few_words(words, n, reduction.kernel, kWordBytes >> std::countr_zero(bytes));
  }
  for (std::size_t step = 1; step < n; step *= 2) {
    for (std::size_t left = 0; left + step < n; left += 2 * step) {
      reduction.kernel(&words[left + step], &words[left], reduction.elements);
    }
  }
  return words[0];
}

void combine_words(Team& team, void* argument) {
  if (!agree(team)) {
    return;
  }
  const auto& reduction = *static_cast<const WordReduction*>(argument);
  const std::uint64_t running = combine_words_in_tree(&team.small(0), team.size(), reduction);
  std::memcpy(team.result().bytes, &running, sizeof running);
}

void combine_word_prefixes(Team& team, void* argument) {
  if (!agree(team)) {
    return;
  }
  const auto& reduction = *static_cast<const Reduction*>(argument);
  const bool exclusive = reduction.outcome == Outcome::exscan;
  std::uint64_t running = team.small(0);
  for (std::uint32_t member = 1; member < team.size(); ++member) {
    const std::uint64_t before = running;
    reduction.kernel(&team.small(member), &running, reduction.elements);
    team.small(member) = exclusive ? before : running;
  }
}

void combine_all(Team& team, void* argument) {
  if (agree(team)) {
    const auto& reduction = *static_cast<const Reduction*>(argument);
    combine_piece<KernelCombiner>(team, reduction, {0, reduction.elements});
  }
}

int reduce_prefixes_of_words(const Entry& entry, const Communicator& comm, Reduction& reduction, std::uint64_t& word) {
  std::uint64_t& mine = comm.team()->small(static_cast<std::uint32_t>(comm.rank));
  mine = word;
  const int error = meet_in_agreement(entry, comm, mark_of(reduction), combine_word_prefixes, &reduction);
  word = mine;
  return error;
}

int reduce_small(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  std::uint64_t word = 0;
  const runtime::Buffer input = message_buffer(reduction.input, reduction.count, *reduction.type);
  runtime::pack(input, {reinterpret_cast<std::byte*>(&word), input.bytes});
  const bool prefixes = reduction.outcome == Outcome::scan || reduction.outcome == Outcome::exscan;
  const int error = prefixes ? reduce_prefixes_of_words(entry, comm, reduction, word)
                             : reduce_words(entry, comm, mark_of(reduction),
                                            {reduction.kernel, reduction.elements, *reduction.type}, word);
  if (error == MPI_SUCCESS && reduction.output != nullptr) {
    runtime::unpack({reinterpret_cast<const std::byte*>(&word), input.bytes},
                    message_buffer(reduction.output, reduction.count, *reduction.type));
  }
  return error;
}

// --- in pieces that the members take, each when it is free ---

std::size_t piece_elements(const Entry& entry, const Reduction& reduction, std::size_t stride) {
  const std::size_t total = reduction.elements * stride;
  const std::size_t share = total / (4 * std::size_t{entry.me.rank->job.worker_count()});
  return std::max<std::size_t>(std::clamp(share, kLeastPieceBytes, kPieceBytes) / stride, 1);
}

int reduce_in_pieces(const Entry& entry, const Communicator& comm, const Reduction& reduction, std::size_t stride) {
  Team& team = *comm.team();
  std::atomic<std::size_t> next{0};  // member 0's is the one that all use
  show(team, comm, reduction);
  if (comm.rank == 0) {
    team.cell(0).words[4] = &next;
  }
  const int error = meet_in_agreement(entry, comm, mark_of(reduction));
  if (error != MPI_SUCCESS) {
    return error;
  }
  auto& taken = *static_cast<std::atomic<std::size_t>*>(const_cast<void*>(team.cell(0).words[4]));
  const std::size_t step = piece_elements(entry, reduction, stride);
  for (;;) {
    const std::size_t first = taken.fetch_add(step, std::memory_order_relaxed);
    if (first >= reduction.elements) {
      break;
    }
    combine_piece(team, reduction, {first, std::min(step, reduction.elements - first)});
  }
  meet_again(entry, comm);
  return MPI_SUCCESS;
}

int reduce_alone(const Reduction& reduction) {
  if (reduction.output != nullptr && reduction.output != reduction.input && reduction.outcome != Outcome::exscan) {
    runtime::transfer(message_buffer(reduction.input, reduction.count, *reduction.type),
                      message_buffer(reduction.output, reduction.count, *reduction.type));
  }
  return MPI_SUCCESS;
}

}  // namespace

int reduce_words(const Entry& entry, const Communicator& comm, Mark mark, WordReduction reduction,
                 std::uint64_t& word) {
  runtime::Team& team = *comm.team();
  team.small(static_cast<std::uint32_t>(comm.rank)) = word;
  const int error = meet_in_agreement(entry, comm, mark, combine_words, &reduction);
  std::memcpy(&word, team.result().bytes, sizeof word);
  return error;
}

int prepare_reduction(const Entry& entry, const Communicator& comm, const Part& part, MPI_Op op, Reduction& reduction) {
  Blocks blocks;
  if (const int error = check_part(entry, comm, part, blocks); error != MPI_SUCCESS) {
    return error;
  }
  const Datatype& type = *blocks.type;
  reduction.input = part.address == MPI_IN_PLACE ? reduction.output : part.address;
  reduction.type = &type;
  reduction.op = op;
  reduction.count = reduction.elements = static_cast<std::size_t>(part.count);
  if (is_predefined(op)) [[likely]] {
    reduction.kernel = predefined_kernel(op, type);
    if (reduction.kernel == nullptr) [[unlikely]] {
      return entry.raise(comm.handle, MPI_ERR_OP, "{} is not defined on {}", op_name(op), type.name);
    }
    reduction.elements *= elements_in(type);
    return MPI_SUCCESS;
  }
  reduction.own = entry.me.ops.find(op);
  return reduction.own != nullptr ? MPI_SUCCESS : entry.raise(comm.handle, MPI_ERR_OP, "op is not an operation");
}

int reduce_together(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  if (comm.spread()) [[unlikely]] {
    return run_now(entry, comm, [&](Course& course) { spread::reduce(course, reduction); });
  }
  if (comm.team() == nullptr) {
    return reduce_alone(reduction);
  }
  if (reduction.own != nullptr) {
    return reduce_in_pieces(entry, comm, reduction, std::max<std::size_t>(reduction.type->size(), 1));
  }
  const std::size_t stride = element_bytes(*reduction.type);
  const std::size_t bytes = reduction.elements * stride;
  if (bytes <= kWordBytes && reduction.outcome != Outcome::spread &&
      reduction.type->size() * reduction.count == bytes) {
    return reduce_small(entry, comm, reduction);
  }
  if (bytes <= kPieceBytes && bytes * comm.team()->size() <= kSerialBytes) {
    show(*comm.team(), comm, reduction);
    return meet_in_agreement(entry, comm, mark_of(reduction), combine_all, &reduction);
  }
  return reduce_in_pieces(entry, comm, reduction, stride);
}

}  // namespace weft::mpi_shim
