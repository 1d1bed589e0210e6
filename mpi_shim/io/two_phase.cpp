#include "mpi_shim/io/two_phase.hpp"

#include <cstring>

#include "mpi_shim/io/exchange.hpp"
#include "mpi_shim/io/hints.hpp"

namespace weft::mpi_shim::io {

namespace {

constexpr std::uint64_t kPage = 4096;
// Members' pieces from here on go to the file as they are: passing them on costs more than another call.
constexpr std::uint64_t kLongRun = std::uint64_t{256} << 10;

Offer::CollectiveBuffering buffering_of(const Info& hints, const char* key) {
  return hint_is(hints, key, "enable")    ? Offer::CollectiveBuffering::enable
         : hint_is(hints, key, "disable") ? Offer::CollectiveBuffering::disable
                                          : Offer::CollectiveBuffering::automatic;
}

Offer offer_of(const Communicator& comm, const Access& access) {
  Offer offer;
  offer.error = access.error;
  offer.writes = access.writes;
  offer.atomic = access.atomic;
  offer.buffering = buffering_of(access.hints, access.writes ? "romio_cb_write" : "romio_cb_read");
  offer.aggregators = number_of(access.hints, "cb_nodes", 1);
  offer.window = number_of(access.hints, "cb_buffer_size", kSieveBytes);
  if (comm.rank == 0 && !access.writes && offer.error == 0) {
    offer.error = access.posix->size(offer.file_bytes);
  }
  if (access.memory.bytes == 0) {
    return offer;
  }
  offer.map = &access.map;
  offer.memory = &access.memory;
  offer.begin = access.begin;
  offer.end = access.end();
  offer.low = access.map.offset_of(offer.begin);
  offer.high = access.map.offset_of(offer.end - 1) + 1;
  offer.run = std::min<std::uint64_t>(access.map.typical_run(), access.memory.bytes);
  offer.sorted = access.map.is_sorted();
  if (comm.size() > 1 && comm.spans_processes()) {
    FileMap map = access.map;
    pup::Sizer sizer;
    sizer | map;
    offer.map_bytes = sizer.size();
  }
  return offer;
}

bool lie_between_each_other(const std::vector<Offer>& offers) {
  std::uint64_t end = 0;
  for (const Offer& offer : offers) {
    if (!offer.empty() && offer.low < end) {
      return true;
    }
    end = offer.empty() ? end : offer.high;
  }
  return false;
}

// The same at all members.
bool worth_two_phases(const std::vector<Offer>& offers) {
  const auto prevents = [](const Offer& offer) { return !offer.sorted || offer.atomic; };
  const Offer::CollectiveBuffering buffering = offers[0].buffering;
  if (offers.size() == 1 || buffering == Offer::CollectiveBuffering::disable ||
      std::any_of(offers.begin(), offers.end(), prevents)) {
    return false;
  }
  const auto is_short = [](const Offer& offer) { return offer.run < kLongRun; };
  return buffering == Offer::CollectiveBuffering::enable ||
         (std::any_of(offers.begin(), offers.end(), is_short) && lie_between_each_other(offers));
}

// Nobody reads behind the end of the file. Where members share no memory, others' maps are not there.
void clip(Offer& offer, std::uint64_t file_bytes, const FileMap& map) {
  offer.end = std::clamp(map.position_at(file_bytes), offer.begin, offer.end);
}

}  // namespace

Division::Division(const std::vector<Offer>& offers, int members)
    : members_(members),
      aggregators_(
          static_cast<int>(std::clamp<std::uint64_t>(offers[0].aggregators, 1, static_cast<unsigned>(members)))),
      window_(std::max(offers[0].window / kPage * kPage, kPage)) {
  whole_.low = UINT64_MAX;
  for (const Offer& offer : offers) {
    if (!offer.empty()) {
      whole_ = {std::min(whole_.low, offer.low / kPage * kPage), std::max(whole_.high, offer.high)};
    }
  }
  if (!whole_.empty()) {
    const auto shares = static_cast<std::uint64_t>(aggregators_);
    domain_ = (whole_.high - whole_.low + shares * kPage - 1) / (shares * kPage) * kPage;
  }
}

int Division::aggregator_at(int member) const {
  for (int aggregator = 0; aggregator < aggregators_; ++aggregator) {
    if (member_of(aggregator) == member) {
      return aggregator;
    }
  }
  return -1;
}

FileRange Division::window(int aggregator, std::uint64_t round) const {
  const std::uint64_t begin = whole_.low + static_cast<std::uint64_t>(aggregator) * domain_;
  const std::uint64_t end = std::min(begin + domain_, whole_.high);
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
        covered_.mark(at, length);
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

int move_in_memory(PosixFile& posix, const Communicator& comm, const std::vector<Offer>& offers,
                   const Division& division) {
  const int aggregator = division.aggregator_at(comm.rank);
  if (aggregator < 0) {
    return 0;
  }
  WindowBuffer buffer(division.window_bytes());
  std::vector<Share> shares(offers.size());
  int error = 0;
  for (std::uint64_t round = 0; round < division.rounds() && error == 0; ++round) {
    const FileRange window = division.window(aggregator, round);
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const Offer& offer = offers[i];
      shares[i] = offer.empty() ? Share{} : share_in(*offer.map, offer.begin, offer.end, window);
      if (!shares[i].empty()) {
        shares[i].memory = *offer.memory;
        shares[i].first = offer.begin;
      }
    }
    error = offers[0].writes ? buffer.write(posix, window, shares) : buffer.read(posix, shares);
  }
  return error;
}

Moved move_together(const Entry& entry, const Communicator& comm, const Access& access) {
  std::vector<Offer> offers = exchange(entry, comm, offer_of(comm, access));
  for (const Offer& offer : offers) {
    if (offer.error != 0) {
      return {offer.error, 0};
    }
  }
  if (!worth_two_phases(offers)) {
    return move_alone(access);
  }
  const bool apart = comm.spans_processes();
  const Division division(offers, comm.size());
  for (std::size_t i = 0; i < offers.size() && !access.writes; ++i) {
    Offer& offer = offers[i];
    if (!offer.empty() && (!apart || static_cast<int>(i) == comm.rank)) {
      clip(offer, offers[0].file_bytes, *offer.map);
    }
  }
  int error = apart ? move_by_messages(entry, *access.posix, comm, offers, division)
                    : move_in_memory(*access.posix, comm, offers, division);
  for (const int other : exchange(entry, comm, error)) {
    error = error == 0 ? other : error;
  }
  const Offer& own = offers[static_cast<std::size_t>(comm.rank)];
  return {error, error == 0 ? own.end - own.begin : 0};
}

}  // namespace weft::mpi_shim::io
