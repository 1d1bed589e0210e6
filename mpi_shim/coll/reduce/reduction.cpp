#include "mpi_shim/coll/reduce/reduction.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/in_memory_pieces.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using runtime::Team;

// Up to this many bytes of all vectors together, the member that arrives last combines them: a second barrier costs
// more.
constexpr std::size_t kSerialBytes = 16384;
constexpr std::size_t kLeastPieceBytes = 1024;

// The members' vectors as published in the team's exchange slots.
class TeamMembers {
 public:
  explicit TeamMembers(Team& team) : team_(team) {}
  std::uint32_t size() const { return team_.size(); }
  MemberVectors vectors(std::uint32_t member) const { return vectors_in(team_.exchange_slot(member).words); }

 private:
  Team& team_;
};

void publish(Team& team, const Communicator& comm, const Reduction& reduction) {
  publish(reduction, team.exchange_slot(static_cast<std::uint32_t>(comm.rank)).words);
}

void combine_piece(Team& team, const Reduction& reduction, Piece piece) {
  if (reduction.user_op != nullptr) {
    combine_piece<UserCombiner>(TeamMembers(team), reduction, piece);
  } else {
    combine_piece<KernelCombiner>(TeamMembers(team), reduction, piece);
  }
}

// --- in the barrier's action ---

// For larger teams each pair of words is a call of the kernel.
constexpr std::size_t kFewWords = 128;

// One call of the kernel for each level of the tree: words at even and at odd positions are copied to an array each.
// A word has room for `in_word` elements. The kernel combines all of them, though the last ones may be padding.
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
  if (!signatures_match(team)) {
    return;
  }
  const auto& reduction = *static_cast<const WordReduction*>(argument);
  const std::uint64_t running = combine_words_in_tree(&team.word(0), team.size(), reduction);
  std::memcpy(team.result().bytes, &running, sizeof running);
}

void combine_word_prefixes(Team& team, void* argument) {
  if (!signatures_match(team)) {
    return;
  }
  const auto& reduction = *static_cast<const Reduction*>(argument);
  const bool exclusive = reduction.outcome == Outcome::exscan;
  std::uint64_t running = team.word(0);
  for (std::uint32_t member = 1; member < team.size(); ++member) {
    const std::uint64_t before = running;
    reduction.kernel(&team.word(member), &running, reduction.elements);
    team.word(member) = exclusive ? before : running;
  }
}

void combine_all(Team& team, void* argument) {
  if (signatures_match(team)) {
    const auto& reduction = *static_cast<const Reduction*>(argument);
    combine_piece<KernelCombiner>(TeamMembers(team), reduction, {0, reduction.elements});
  }
}

int reduce_prefixes_of_words(const Entry& entry, const Communicator& comm, Reduction& reduction, std::uint64_t& word) {
  std::uint64_t& mine = comm.team()->word(static_cast<std::uint32_t>(comm.rank));
  mine = word;
  const int error = checked_barrier(entry, comm, signature_of(reduction), combine_word_prefixes, &reduction);
  word = mine;
  return error;
}

bool is_word(const Reduction& reduction, std::size_t bytes) {
  return bytes <= kWordBytes && reduction.outcome != Outcome::scattered &&
         reduction.type->size() * reduction.count == bytes;
}

int reduce_small(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  std::uint64_t word = 0;
  const runtime::Buffer input = message_buffer(reduction.input, reduction.count, *reduction.type);
  runtime::pack(input, {reinterpret_cast<std::byte*>(&word), input.bytes});
  const bool prefixes = reduction.outcome == Outcome::scan || reduction.outcome == Outcome::exscan;
  const int error = prefixes ? reduce_prefixes_of_words(entry, comm, reduction, word)
                             : reduce_words(entry, comm, signature_of(reduction),
                                            {reduction.kernel, reduction.elements, *reduction.type}, word);
  if (error == MPI_SUCCESS && reduction.has_output) {
    runtime::unpack({reinterpret_cast<const std::byte*>(&word), input.bytes},
                    message_buffer(reduction.output, reduction.count, *reduction.type));
  }
  return error;
}

// --- by the flag exchange: each member combines its own result ---

class FlagExchangeMembers {
 public:
  FlagExchangeMembers(const runtime::FlagExchange& flags, std::uint32_t reader, const Reduction& reduction)
      : flags_(flags), reader_(reader), reduction_(reduction) {}
  std::uint32_t size() const { return flags_.size(); }
  MemberVectors vectors(std::size_t member) const {
    return {flags_.page(reader_, static_cast<std::uint32_t>(member)), reduction_.output, reduction_.type,
            reduction_.count};
  }

 private:
  const runtime::FlagExchange& flags_;
  const std::uint32_t reader_;
  const Reduction& reduction_;
};

void combine_for(std::uint32_t me, const FlagExchangeMembers& members, const Reduction& reduction) {
  const bool scattered = reduction.outcome == Outcome::scattered;
  const std::size_t first = scattered ? reduction.starts[me] : 0;
  const Piece mine{first, (scattered ? reduction.starts[me + 1] : reduction.elements) - first};
  if (mine.count == 0) {
    return;
  }
  KernelCombiner combiner(reduction, mine, members.size());
  if (reduction.outcome == Outcome::scan || reduction.outcome == Outcome::exscan) {
    combiner.push(members.vectors(0));
    for (std::uint32_t i = 1; i < (reduction.outcome == Outcome::scan ? me + 1 : me); ++i) {
      combiner.combine(members.vectors(i));
    }
  } else {
    combine_in_tree(combiner, members.size(), [&](std::size_t member) { return members.vectors(member); });
  }
  combiner.store(members.vectors(me), 0, mine.count, 0);
}

// REQUIRES: contiguous elements, of `bytes` in all.
int reduce_by_flag_exchange(const Entry& entry, const Communicator& comm, const Reduction& reduction, std::size_t bytes,
                            runtime::FlagExchange& flags) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (bytes != 0) {
    std::memcpy(flags.next_page(me), reduction.input, bytes);
  }
  const int error = checked_flag_exchange(entry, comm, signature_of(reduction));
  if (error == MPI_SUCCESS && reduction.has_output) {
    combine_for(me, FlagExchangeMembers(flags, me, reduction), reduction);
  }
  return error;
}

// --- Algorithm::in_memory_split: each member takes the next piece of the vectors whenever it is free ---

std::size_t piece_elements(const Entry& entry, const Reduction& reduction, std::size_t stride) {
  const std::size_t total = reduction.elements * stride;
  const std::size_t share = total / (4 * std::size_t{entry.me.rank->job.worker_count()});
  return std::max<std::size_t>(std::clamp(share, kLeastPieceBytes, kPieceBytes) / stride, 1);
}

int reduce_in_memory_split(const Entry& entry, const Communicator& comm, const Reduction& reduction,
                           std::size_t stride) {
  Team& team = *comm.team();
  std::atomic<std::size_t> next{0};  // first element that nobody has taken; all use member 0's
  publish(team, comm, reduction);
  if (comm.rank == 0) {
    team.exchange_slot(0).words[4] = &next;
  }
  const int error = checked_barrier(entry, comm, signature_of(reduction));
  if (error != MPI_SUCCESS) {
    return error;
  }
  auto& taken = *static_cast<std::atomic<std::size_t>*>(const_cast<void*>(team.exchange_slot(0).words[4]));
  const std::size_t step = piece_elements(entry, reduction, stride);
  for (;;) {
    const std::size_t first = taken.fetch_add(step, std::memory_order_relaxed);
    if (first >= reduction.elements) {
      break;
    }
    combine_piece(team, reduction, {first, std::min(step, reduction.elements - first)});
  }
  if (reduction.user_op != nullptr) {
    return barrier_after_operation(entry, comm, reduction.pending_exception->holds());
  }
  next_barrier(entry, comm);
  return MPI_SUCCESS;
}

// `in_memory` combines in a barrier's action: that cannot call a user's function, which must run on its own rank, and
// its buffers hold one piece.
Algorithm algorithm_in_memory(const Communicator& comm, const Reduction& reduction, std::size_t bytes) {
  using enum Algorithm;
  const bool fits = reduction.user_op == nullptr && bytes <= kPieceBytes;
  const bool is_short = comm.team()->flag_exchange() != nullptr
                            ? bytes <= runtime::FlagExchange::kBytes
                            : is_word(reduction, bytes) || bytes * comm.team()->size() <= kSerialBytes;
  const Algorithm built_in = fits && is_short ? in_memory : in_memory_split;
  if (choices_are_built_in && !calls_are_traced) [[likely]] {
    return built_in;
  }
  const Collective call = base_collective(reduction.call);
  const Algorithms all = algorithms_of(call, CallForm::one_process);
  return choose(comm, {call, CallForm::one_process, bytes, built_in, fits ? all : all & ~set_of(in_memory)});
}

int reduce_in_barrier(const Entry& entry, const Communicator& comm, Reduction& reduction, std::size_t bytes) {
  runtime::FlagExchange* const flags = flag_exchange_for(comm, bytes);
  if (flags != nullptr && has_no_gaps(*reduction.type)) {
    return reduce_by_flag_exchange(entry, comm, reduction, bytes, *flags);
  }
  if (is_word(reduction, bytes)) {
    return reduce_small(entry, comm, reduction);
  }
  publish(*comm.team(), comm, reduction);
  return checked_barrier(entry, comm, signature_of(reduction), combine_all, &reduction);
}

int reduce_single_member(const Reduction& reduction) {
  if (reduction.has_output && reduction.output != reduction.input && reduction.outcome != Outcome::exscan) {
    runtime::transfer(message_buffer(reduction.input, reduction.count, *reduction.type),
                      message_buffer(reduction.output, reduction.count, *reduction.type));
  }
  return MPI_SUCCESS;
}

}  // namespace

int reduce_words(const Entry& entry, const Communicator& comm, CallSignature signature, WordReduction reduction,
                 std::uint64_t& word) {
  runtime::Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (runtime::FlagExchange* const flags = team.flag_exchange()) {
    std::memcpy(flags->next_page(me), &word, sizeof word);
    const int error = checked_flag_exchange(entry, comm, signature);
    std::array<std::uint64_t, runtime::FlagExchange::kMostMembers> words;
    for (std::uint32_t i = 0; i < team.size(); ++i) {
      std::memcpy(&words[i], flags->page(me, i), sizeof word);
    }
    word = error == MPI_SUCCESS ? combine_words_in_tree(words.data(), team.size(), reduction) : word;
    return error;
  }
  team.word(me) = word;
  const int error = checked_barrier(entry, comm, signature, combine_words, &reduction);
  std::memcpy(&word, team.result().bytes, sizeof word);
  return error;
}

int reduce_intracomm(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  if (comm.spans_processes()) [[unlikely]] {
    return run_blocking(entry, comm, [&](CollectiveSteps& executor) { run_intracomm_reduction(executor, reduction); });
  }
  if (comm.team() == nullptr) {
    return reduce_single_member(reduction);
  }
  const std::size_t stride =
      reduction.user_op != nullptr ? std::max<std::size_t>(reduction.type->size(), 1) : element_bytes(*reduction.type);
  const std::size_t bytes = reduction.elements * stride;
  const auto by_messages = [&](CollectiveSteps& executor) { run_intracomm_reduction(executor, reduction); };
  const Algorithm chosen = algorithm_in_memory(comm, reduction, bytes);
  if (chosen != Algorithm::in_memory && chosen != Algorithm::in_memory_split) {
    return run_blocking(entry, comm, by_messages, chosen);
  }
  count_as_messages(entry, comm, by_messages);
  return chosen == Algorithm::in_memory ? reduce_in_barrier(entry, comm, reduction, bytes)
                                        : reduce_in_memory_split(entry, comm, reduction, stride);
}

}  // namespace coll
}  // namespace weft::mpi_shim
