#include "mpi_shim/comm/communicator_assembly.hpp"

#include "mpi_shim/comm/process_comms.hpp"

namespace weft::mpi_shim {
inline namespace comm {

std::shared_ptr<const CommShared> CommunicatorAssemblies::take(runtime::Job& job, const Key& key,
                                                               const std::shared_ptr<const Group>& group, int number) {
  const std::lock_guard lock(mutex_);
  auto [place, end] = open_.equal_range(key);
  while (place != end &&
         (place->second.taken[static_cast<std::size_t>(number)] || !same_order(*place->second.comm->group, *group))) {
    ++place;
  }
  if (place == end) {
    Open open{make_comm(job, fresh_context(job), {.group = group}),
              std::vector<bool>(static_cast<std::size_t>(group->size())), group->size()};
    place = open_.emplace(key, std::move(open));
  }
  Open& open = place->second;
  open.taken[static_cast<std::size_t>(number)] = true;
  auto comm = open.comm;
  if (--open.left == 0) {
    open_.erase(place);
  }
  return comm;
}

}  // namespace comm
}  // namespace weft::mpi_shim
