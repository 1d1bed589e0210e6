// The communicators of one process by context number: the first member makes one, and later members find it here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::mpi_shim {
inline namespace comm {

struct CommShared;

// Thread-safe. Keeps a communicator alive only while it is being made.
class CommRegistry {
 public:
  // Both sides of an intercommunicator have the same context number.
  struct Key {
    std::uint32_t context;
    int side;
    auto operator<=>(const Key&) const = default;
  };

  // `make` gets the other side of an intercommunicator, or null if this process does not have it.
  std::shared_ptr<const CommShared> find_or_make(
      Key key, const std::function<std::shared_ptr<const CommShared>(const CommShared* other_side)>& make);
  // Calls `function` for all communicators that are alive.
  void for_each(const std::function<void(const CommShared&)>& function);
  std::shared_ptr<const CommShared> find(Key key);
  void add(Key key, const std::shared_ptr<const CommShared>& comm);
  // Called by each of the `members` in this process that make `comm`, once the member has it. The communicator is kept
  // alive until all have called. Otherwise the first member could free it before the last one comes; the last one would
  // then make another one, without the state that the first one left in it.
  void keep_for_members(Key key, const std::shared_ptr<const CommShared>& comm, int members);

 private:
  struct KeptComm {
    std::shared_ptr<const CommShared> comm;
    int missing = 0;  // members that have not called keep_for_members()
  };
  void note(Key key, const std::shared_ptr<const CommShared>& comm);

  // Guards what follows. Held while a caller's function runs, which must not call the registry.
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const CommShared>> comms_;
  std::size_t purge_at_ = 64;
  std::map<Key, KeptComm> kept_comms_;
};

}  // namespace comm
}  // namespace weft::mpi_shim
