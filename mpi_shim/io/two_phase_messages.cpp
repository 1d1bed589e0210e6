// Collective access where members live in several processes: an aggregator gets the members' maps once, then, window
// by window, one message of each member that has bytes there.
#include <list>

#include "mpi_shim/comm/peers.hpp"
#include "mpi_shim/io/two_phase.hpp"

namespace weft::mpi_shim::io {

namespace {

constexpr int kMapTag = 1 << 23;
constexpr int kDataTag = kMapTag + 1;

using Bytes = std::vector<std::byte>;

// Messages under way, and the memory that they need.
class PendingMessages {
 public:
  explicit PendingMessages(const Peers& peers) : peers_(peers) {}
  Bytes& room(std::size_t bytes) { return rooms_.emplace_back(bytes); }
  void send(int to, const runtime::Buffer& buffer) { peers_.start_send(to, buffer, requests_.emplace_back()); }
  void receive(int from, const runtime::Buffer& buffer) {
    peers_.start_receive(from, buffer, requests_.emplace_back());
  }
  void wait() {
    for (runtime::Request& request : requests_) {
      peers_.wait(request);
    }
    requests_.clear();
  }

 private:
  const Peers& peers_;
  std::list<runtime::Request> requests_;  // stay in place
  std::list<Bytes> rooms_;
};

runtime::Buffer whole(Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// The members' maps, at an aggregator.
std::vector<FileMap> share_maps(const Peers& peers, const std::vector<Offer>& offers, const Division& division) {
  PendingMessages messages(peers);
  const Offer& mine = offers[static_cast<std::size_t>(peers.rank())];
  if (mine.map != nullptr) {
    FileMap map = *mine.map;
    Bytes& packed = messages.room(0);
    packed = pup::pack(map);
    for (int aggregator = 0; aggregator < division.aggregators(); ++aggregator) {
      messages.send(division.member_of(aggregator), whole(packed));
    }
  }
  std::vector<FileMap> maps(offers.size());
  std::vector<Bytes*> rooms(offers.size(), nullptr);
  const bool receives = division.aggregator_at(peers.rank()) >= 0;
  for (std::size_t i = 0; receives && i < offers.size(); ++i) {
    if (offers[i].map_bytes > 0) {
      rooms[i] = &messages.room(offers[i].map_bytes);
      messages.receive(static_cast<int>(i), whole(*rooms[i]));
    }
  }
  messages.wait();
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (rooms[i] != nullptr) {
      pup::unpack(*rooms[i], maps[i]);
    }
  }
  return maps;
}

// This member's bytes in an aggregator's window, as one run of memory: the user's own where it has no gaps.
runtime::Buffer own_bytes(const Offer& mine, const Share& share, PendingMessages& messages) {
  const std::uint64_t skip = share.begin - mine.begin;
  const std::size_t bytes = share.end - share.begin;
  if (mine.memory->layout == nullptr) {
    return {static_cast<std::byte*>(mine.memory->base) + skip, bytes};
  }
  Bytes& packed = messages.room(bytes);
  if (mine.writes) {
    copy_out(*mine.memory, skip, packed);
  }
  return whole(packed);
}

// What an aggregator receives from, or sends to, the members in one window.
std::vector<Share> shares_of(const std::vector<FileMap>& maps, const std::vector<Offer>& offers, FileRange window,
                             PendingMessages& messages) {
  std::vector<Share> shares(offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    std::uint64_t end = offers[i].end;
    if (!offers[i].writes && offers[i].map_bytes > 0) {
      end = std::clamp(maps[i].position_at(offers[0].file_bytes), offers[i].begin, end);
    }
    shares[i] = share_in(maps[i], offers[i].begin, end, window);
    if (!shares[i].empty()) {
      shares[i].memory = whole(messages.room(shares[i].end - shares[i].begin));
      shares[i].first = shares[i].begin;
    }
  }
  return shares;
}

// One member's part of the exchange.
class Exchange {
 public:
  Exchange(const Peers& peers, PosixFile& posix, const std::vector<Offer>& offers, const Division& division)
      : peers_(peers),
        posix_(posix),
        offers_(offers),
        division_(division),
        mine_(offers[static_cast<std::size_t>(peers.rank())]),
        aggregator_(division.aggregator_at(peers.rank())),
        buffer_(aggregator_ >= 0 ? division.window_bytes() : 0) {}

  void run(std::uint64_t round, const std::vector<FileMap>& maps, bool writes) {
    PendingMessages own(peers_), theirs(peers_);
    std::vector<std::pair<Share, runtime::Buffer>> parts;
    for (int aggregator = 0; aggregator < division_.aggregators() && !mine_.empty(); ++aggregator) {
      const Share share = share_in(*mine_.map, mine_.begin, mine_.end, division_.window(aggregator, round));
      if (!share.empty()) {
        const runtime::Buffer bytes = own_bytes(mine_, share, own);
        const int member = division_.member_of(aggregator);
        writes ? own.send(member, bytes) : own.receive(member, bytes);
        parts.emplace_back(share, bytes);
      }
    }
    if (aggregator_ >= 0) {
      aggregate(division_.window(aggregator_, round), maps, writes, theirs);
    }
    own.wait();
    for (const auto& [share, bytes] : parts) {
      if (!writes && mine_.memory->layout != nullptr) {
        copy_in(*mine_.memory, share.begin - mine_.begin, {static_cast<std::byte*>(bytes.base), bytes.bytes});
      }
    }
    theirs.wait();
  }
  int error() const { return error_; }

 private:
  void aggregate(FileRange window, const std::vector<FileMap>& maps, bool writes, PendingMessages& messages) {
    const std::vector<Share> shares = shares_of(maps, offers_, window, messages);
    if (!writes && error_ == 0) {
      error_ = buffer_.read(posix_, shares);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!shares[i].empty()) {
        const int member = static_cast<int>(i);
        writes ? messages.receive(member, shares[i].memory) : messages.send(member, shares[i].memory);
      }
    }
    if (writes) {
      messages.wait();
      error_ = error_ != 0 ? error_ : buffer_.write(posix_, window, shares);
    }
  }

  const Peers& peers_;
  PosixFile& posix_;
  const std::vector<Offer>& offers_;
  const Division& division_;
  const Offer& mine_;
  const int aggregator_;
  WindowBuffer buffer_;  // empty unless an aggregator's
  int error_ = 0;
};

}  // namespace

int move_by_messages(const Entry& entry, PosixFile& posix, const Communicator& comm, const std::vector<Offer>& offers,
                     const Division& division) {
  const std::vector<FileMap> maps = share_maps(Peers::within(entry.me, comm, kMapTag), offers, division);
  const Peers peers = Peers::within(entry.me, comm, kDataTag);
  Exchange exchange(peers, posix, offers, division);
  for (std::uint64_t round = 0; round < division.rounds(); ++round) {
    exchange.run(round, maps, offers[0].writes);
  }
  return exchange.error();
}

}  // namespace weft::mpi_shim::io
