// Two-phase access if members live in several processes. An aggregator receives the members' maps once. Then it
// exchanges, for each window, one message with each member that has data there.
#include <list>

#include "mpi_shim/comm/peers.hpp"
#include "mpi_shim/io/two_phase.hpp"

namespace weft::mpi_shim::io {

namespace {

constexpr int kMapTag = 1 << 23;
constexpr int kDataTag = kMapTag + 1;

using Bytes = std::vector<std::byte>;

// Pending messages and their buffers.
class PendingMessages {
 public:
  explicit PendingMessages(const Peers& peers) : peers_(peers) {}
  Bytes& allocate(std::size_t bytes) { return buffers_.emplace_back(bytes); }
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
  std::list<runtime::Request> requests_;  // a list, since requests must keep their addresses
  std::list<Bytes> buffers_;
};

runtime::Buffer whole(Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// Sends this member's map to the aggregators; returns the maps of all members on an aggregator.
std::vector<FileMap> share_maps(const Peers& peers, const std::vector<AccessSummary>& summaries,
                                const FileDomains& domains) {
  PendingMessages messages(peers);
  const AccessSummary& mine = summaries[static_cast<std::size_t>(peers.rank())];
  if (mine.map != nullptr) {
    FileMap map = *mine.map;
    Bytes& packed = messages.allocate(0);
    packed = pup::pack(map);
    for (int aggregator = 0; aggregator < domains.aggregators(); ++aggregator) {
      messages.send(domains.member_of(aggregator), whole(packed));
    }
  }
  std::vector<FileMap> maps(summaries.size());
  std::vector<Bytes*> buffers(summaries.size(), nullptr);
  const bool receives = domains.aggregator_at(peers.rank()) >= 0;
  for (std::size_t i = 0; receives && i < summaries.size(); ++i) {
    if (summaries[i].map_bytes > 0) {
      buffers[i] = &messages.allocate(summaries[i].map_bytes);
      messages.receive(static_cast<int>(i), whole(*buffers[i]));
    }
  }
  messages.wait();
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (buffers[i] != nullptr) {
      pup::unpack(*buffers[i], maps[i]);
    }
  }
  return maps;
}

// This member's data in an aggregator's window as contiguous memory: the user's buffer if it has no gaps.
runtime::Buffer own_bytes(const AccessSummary& mine, const Share& share, PendingMessages& messages) {
  const std::uint64_t skip = share.begin - mine.begin;
  const std::size_t bytes = share.end - share.begin;
  if (mine.memory->layout == nullptr) {
    return {static_cast<std::byte*>(mine.memory->base) + skip, bytes};
  }
  Bytes& packed = messages.allocate(bytes);
  if (mine.writes) {
    copy_out(*mine.memory, skip, packed);
  }
  return whole(packed);
}

// The members' data in one window, with buffers to receive them into or to send them from.
std::vector<Share> shares_of(const std::vector<FileMap>& maps, const std::vector<AccessSummary>& summaries,
                             FileRange window, PendingMessages& messages) {
  std::vector<Share> shares(summaries.size());
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    std::uint64_t end = summaries[i].end;
    if (!summaries[i].writes && summaries[i].map_bytes > 0) {
      end = std::clamp(maps[i].position_at(summaries[0].file_bytes), summaries[i].begin, end);
    }
    shares[i] = share_in(maps[i], summaries[i].begin, end, window);
    if (!shares[i].empty()) {
      shares[i].memory = whole(messages.allocate(shares[i].end - shares[i].begin));
      shares[i].first = shares[i].begin;
    }
  }
  return shares;
}

// Runs the rounds of one member.
class Exchange {
 public:
  Exchange(const Peers& peers, PosixFile& posix, const std::vector<AccessSummary>& summaries,
           const FileDomains& domains)
      : peers_(peers),
        posix_(posix),
        summaries_(summaries),
        domains_(domains),
        mine_(summaries[static_cast<std::size_t>(peers.rank())]),
        aggregator_(domains.aggregator_at(peers.rank())),
        buffer_(aggregator_ >= 0 ? domains.window_bytes() : 0) {}

  // Starts the messages to or from the aggregators first: an aggregator, which may be this member, waits for the data
  // of all members before it writes.
  void run(std::uint64_t round, const std::vector<FileMap>& maps, bool writes) {
    PendingMessages own(peers_), theirs(peers_);
    std::vector<std::pair<Share, runtime::Buffer>> parts;
    for (int aggregator = 0; aggregator < domains_.aggregators() && !mine_.empty(); ++aggregator) {
      const Share share = share_in(*mine_.map, mine_.begin, mine_.end, domains_.window(aggregator, round));
      if (!share.empty()) {
        const runtime::Buffer bytes = own_bytes(mine_, share, own);
        const int member = domains_.member_of(aggregator);
        writes ? own.send(member, bytes) : own.receive(member, bytes);
        parts.emplace_back(share, bytes);
      }
    }
    if (aggregator_ >= 0) {
      aggregate(domains_.window(aggregator_, round), maps, writes, theirs);
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
    const std::vector<Share> shares = shares_of(maps, summaries_, window, messages);
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
  const std::vector<AccessSummary>& summaries_;
  const FileDomains& domains_;
  const AccessSummary& mine_;
  const int aggregator_;
  WindowBuffer buffer_;  // empty unless an aggregator's
  int error_ = 0;
};

}  // namespace

int access_by_messages(const Entry& entry, PosixFile& posix, const Communicator& comm,
                       const std::vector<AccessSummary>& summaries, const FileDomains& domains) {
  const std::vector<FileMap> maps = share_maps(Peers::within(entry.me, comm, kMapTag), summaries, domains);
  const Peers peers = Peers::within(entry.me, comm, kDataTag);
  Exchange exchange(peers, posix, summaries, domains);
  for (std::uint64_t round = 0; round < domains.rounds(); ++round) {
    exchange.run(round, maps, summaries[0].writes);
  }
  return exchange.error();
}

}  // namespace weft::mpi_shim::io
