#include "mpi_shim/io/two_phase.hpp"

#include <cstring>

#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/io/hints.hpp"

namespace weft::mpi_shim::io {

namespace {

constexpr std::uint64_t kPage = 4096;
// Members transfer runs of at least this length themselves: sending them to an aggregator costs more than a system
// call.
constexpr std::uint64_t kLongRun = std::uint64_t{256} << 10;

AccessSummary::CollectiveBuffering buffering_of(const Info& hints, const char* key) {
  return hint_is(hints, key, "enable")    ? AccessSummary::CollectiveBuffering::enable
         : hint_is(hints, key, "disable") ? AccessSummary::CollectiveBuffering::disable
                                          : AccessSummary::CollectiveBuffering::automatic;
}

AccessSummary summarize(const Communicator& comm, const Access& access) {
  AccessSummary summary;
  summary.error = access.error;
  summary.writes = access.writes;
  summary.atomic = access.atomic;
  summary.buffering = buffering_of(access.hints, access.writes ? "romio_cb_write" : "romio_cb_read");
  summary.aggregators = number_of(access.hints, "cb_nodes", 1);
  summary.window = number_of(access.hints, "cb_buffer_size", kSieveBytes);
  if (comm.rank == 0 && !access.writes && summary.error == 0) {
    summary.error = access.posix->size(summary.file_bytes);
  }
  if (access.memory.bytes == 0) {
    return summary;
  }
  summary.map = &access.map;
  summary.memory = &access.memory;
  summary.begin = access.begin;
  summary.end = access.end();
  summary.low = access.map.offset_of(summary.begin);
  summary.high = access.map.offset_of(summary.end - 1) + 1;
  summary.run = std::min<std::uint64_t>(access.map.typical_run(), access.memory.bytes);
  summary.sorted = access.map.is_sorted();
  if (comm.size() > 1 && comm.spans_processes()) {
    FileMap map = access.map;
    pup::Sizer sizer;
    sizer | map;
    summary.map_bytes = sizer.size();
  }
  return summary;
}

bool are_interleaved(const std::vector<AccessSummary>& summaries) {
  std::uint64_t end = 0;
  for (const AccessSummary& summary : summaries) {
    if (!summary.empty() && summary.low < end) {
      return true;
    }
    end = summary.empty() ? end : summary.high;
  }
  return false;
}

// Gives the same answer on all members.
bool worth_two_phases(const std::vector<AccessSummary>& summaries) {
  const auto prevents = [](const AccessSummary& summary) { return !summary.sorted || summary.atomic; };
  const AccessSummary::CollectiveBuffering buffering = summaries[0].buffering;
  if (summaries.size() == 1 || buffering == AccessSummary::CollectiveBuffering::disable ||
      std::any_of(summaries.begin(), summaries.end(), prevents)) {
    return false;
  }
  const auto is_short = [](const AccessSummary& summary) { return summary.run < kLongRun; };
  return buffering == AccessSummary::CollectiveBuffering::enable ||
         (std::any_of(summaries.begin(), summaries.end(), is_short) && are_interleaved(summaries));
}

// Cuts a read at the end of the file. `map` is that of the summary's member; if members share no memory, only that
// member and the aggregators have it.
void clip(AccessSummary& summary, std::uint64_t file_bytes, const FileMap& map) {
  summary.end = std::clamp(map.position_at(file_bytes), summary.begin, summary.end);
}

}  // namespace

FileDomains::FileDomains(const std::vector<AccessSummary>& summaries, int members)
    : members_(members),
      aggregators_(
          static_cast<int>(std::clamp<std::uint64_t>(summaries[0].aggregators, 1, static_cast<unsigned>(members)))),
      window_(std::max(summaries[0].window / kPage * kPage, kPage)) {
  whole_.low = UINT64_MAX;
  for (const AccessSummary& summary : summaries) {
    if (!summary.empty()) {
      whole_ = {std::min(whole_.low, summary.low / kPage * kPage), std::max(whole_.high, summary.high)};
    }
  }
  if (!whole_.empty()) {
    const auto shares = static_cast<std::uint64_t>(aggregators_);
    domain_bytes_ = (whole_.high - whole_.low + shares * kPage - 1) / (shares * kPage) * kPage;
  }
}

int FileDomains::aggregator_at(int member) const {
  for (int aggregator = 0; aggregator < aggregators_; ++aggregator) {
    if (member_of(aggregator) == member) {
      return aggregator;
    }
  }
  return -1;
}

FileRange FileDomains::window(int aggregator, std::uint64_t round) const {
  const std::uint64_t begin = whole_.low + static_cast<std::uint64_t>(aggregator) * domain_bytes_;
  const std::uint64_t end = std::min(begin + domain_bytes_, whole_.high);
  return {begin + round * window_, std::min(begin + (round + 1) * window_, end)};
}

Share share_in(const FileMap& map, std::uint64_t begin, std::uint64_t end, FileRange window) {
  if (begin >= end || window.empty()) {
    return {};
  }
  return {&map,
          std::clamp(map.position_at(window.low), begin, end),
          std::clamp(map.position_at(window.high), begin, end),
          {},
          0};
}

int WindowBuffer::write(PosixFile& posix, FileRange window, const std::vector<Share>& shares) {
  for (const Share& share : shares) {
    std::uint64_t position = share.begin - share.first;
    if (!share.empty()) {
      share.map->for_each_run(share.begin, share.end, [&](std::uint64_t offset, std::size_t length) {
        const std::size_t at = offset - window.low;
        copy_out(share.memory, position, {bytes_.get() + at, length});
        covered_.add(at, length);
        position += length;
      });
    }
  }
  int error = 0;
  covered_.take_runs([&](std::size_t begin, std::size_t length) {
    error = error != 0 ? error : posix.write({bytes_.get() + begin, length}, window.low + begin);
  });
  return error;
}

int WindowBuffer::read(PosixFile& posix, const std::vector<Share>& shares) {
  FileRange wanted{UINT64_MAX, 0};
  for (const Share& share : shares) {
    if (!share.empty()) {
      wanted.low = std::min(wanted.low, share.map->offset_of(share.begin));
      wanted.high = std::max(wanted.high, share.map->offset_of(share.end - 1) + 1);
    }
  }
  if (wanted.empty()) {
    return 0;
  }
  const std::size_t bytes = wanted.high - wanted.low;
  std::size_t got = 0;
  const int error = posix.read({bytes_.get(), bytes}, wanted.low, got);
  std::memset(bytes_.get() + got, 0, bytes - got);  // the file has shrunk meanwhile
  for (const Share& share : shares) {
    std::uint64_t position = share.begin - share.first;
    if (!share.empty() && error == 0) {
      share.map->for_each_run(share.begin, share.end, [&](std::uint64_t offset, std::size_t length) {
        copy_in(share.memory, position, {bytes_.get() + (offset - wanted.low), length});
        position += length;
      });
    }
  }
  return error;
}

int access_in_memory(PosixFile& posix, const Communicator& comm, const std::vector<AccessSummary>& summaries,
                     const FileDomains& domains) {
  const int aggregator = domains.aggregator_at(comm.rank);
  if (aggregator < 0) {
    return 0;
  }
  WindowBuffer buffer(domains.window_bytes());
  std::vector<Share> shares(summaries.size());
  int error = 0;
  for (std::uint64_t round = 0; round < domains.rounds() && error == 0; ++round) {
    const FileRange window = domains.window(aggregator, round);
    for (std::size_t i = 0; i < summaries.size(); ++i) {
      const AccessSummary& summary = summaries[i];
      shares[i] = summary.empty() ? Share{} : share_in(*summary.map, summary.begin, summary.end, window);
      if (!shares[i].empty()) {
        shares[i].memory = *summary.memory;
        shares[i].first = summary.begin;
      }
    }
    error = summaries[0].writes ? buffer.write(posix, window, shares) : buffer.read(posix, shares);
  }
  return error;
}

AccessResult access_collectively(const Entry& entry, const Communicator& comm, const Access& access) {
  std::vector<AccessSummary> summaries = allgather_value(entry, comm, summarize(comm, access));
  for (const AccessSummary& summary : summaries) {
    if (summary.error != 0) {
      return {summary.error, 0};
    }
  }
  if (!worth_two_phases(summaries)) {
    return access_independently(access);
  }
  const bool apart = comm.spans_processes();
  const FileDomains domains(summaries, comm.size());
  for (std::size_t i = 0; i < summaries.size() && !access.writes; ++i) {
    AccessSummary& summary = summaries[i];
    if (!summary.empty() && (!apart || static_cast<int>(i) == comm.rank)) {
      clip(summary, summaries[0].file_bytes, *summary.map);
    }
  }
  int error = apart ? access_by_messages(entry, *access.posix, comm, summaries, domains)
                    : access_in_memory(*access.posix, comm, summaries, domains);
  for (const int other : allgather_value(entry, comm, error)) {
    error = error == 0 ? other : error;
  }
  const AccessSummary& own = summaries[static_cast<std::size_t>(comm.rank)];
  return {error, error == 0 ? own.end - own.begin : 0};
}

}  // namespace weft::mpi_shim::io
