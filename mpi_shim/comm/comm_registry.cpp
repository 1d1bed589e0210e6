#include "mpi_shim/comm/comm_registry.hpp"

namespace weft::mpi_shim {
inline namespace comm {

std::shared_ptr<const CommShared> CommRegistry::find_or_make(
    Key key, const std::function<std::shared_ptr<const CommShared>(const CommShared* other_side)>& make) {
  const std::lock_guard lock(mutex_);
  if (const auto found = comms_.find(key); found != comms_.end()) {
    if (auto comm = found->second.lock(); comm != nullptr) {
      return comm;
    }
  }
  const auto other = comms_.find(Key{key.context, 1 - key.side});
  const auto other_side = other == comms_.end() ? nullptr : other->second.lock();
  auto comm = make(other_side.get());
  note(key, comm);
  return comm;
}

void CommRegistry::for_each(const std::function<void(const CommShared&)>& function) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, comm] : comms_) {
    if (const auto alive = comm.lock(); alive != nullptr) {
      function(*alive);
    }
  }
}

std::shared_ptr<const CommShared> CommRegistry::find(Key key) {
  const std::lock_guard lock(mutex_);
  const auto found = comms_.find(key);
  return found == comms_.end() ? nullptr : found->second.lock();
}

void CommRegistry::add(Key key, const std::shared_ptr<const CommShared>& comm) {
  const std::lock_guard lock(mutex_);
  note(key, comm);
}

void CommRegistry::keep_for_members(Key key, const std::shared_ptr<const CommShared>& comm, int members) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_comms_.try_emplace(key, KeptComm{comm, members}).first;
  if (--found->second.missing == 0) {
    kept_comms_.erase(found);
  }
}

void CommRegistry::note(Key key, const std::shared_ptr<const CommShared>& comm) {
  comms_[key] = comm;
  if (comms_.size() >= purge_at_) {
    std::erase_if(comms_, [](const auto& entry) { return entry.second.expired(); });
    purge_at_ = 2 * comms_.size() + 64;
  }
}

}  // namespace comm
}  // namespace weft::mpi_shim
