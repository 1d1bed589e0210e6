#include "runtime/topology/core_binding.hpp"

#include "base/user_folder.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace topology {

CoreBinding::CoreBinding(std::uint32_t workers) : locks_(base::user_folder()) {
  const std::vector<std::uint32_t> allowed = allowed_cores();
  if (workers <= allowed.size()) {
    cores_ = locks_.take(allowed, workers);
  }
}

std::optional<std::uint32_t> CoreBinding::bind_this_thread(std::uint32_t worker) const {
  return !cores_.empty() && topology::bind_this_thread(cores_[worker]) ? std::optional(cores_[worker]) : std::nullopt;
}

}  // namespace topology
}  // namespace weft::runtime
