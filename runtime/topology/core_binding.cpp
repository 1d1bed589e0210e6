#include "runtime/topology/core_binding.hpp"

#include <stdexcept>
#include <string>

#include "base/user_folder.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace topology {
namespace {

// The hardware threads to choose from.
std::vector<std::uint32_t> candidates(BindTo what) { return what == BindTo::core ? first_threads() : allowed_cores(); }

void require_enough(BindTo what, std::size_t workers, std::size_t there) {
  if ((what == BindTo::hwthread || what == BindTo::core) && workers > there) {
    const std::string kind = what == BindTo::core ? "core" : "hwthread";
    throw std::runtime_error("--bind-to " + kind + ": " + std::to_string(workers) +
                             " workers of a process do not fit on the " + std::to_string(there) +
                             (what == BindTo::core ? " cores" : " hardware threads") +
                             " that it may use: --workers says how many, --bind-to none binds none");
  }
}

std::vector<std::uint32_t> around(BindTo what, std::uint32_t thread) {
  switch (what) {
    case BindTo::own_core:
    case BindTo::hwthread:
      break;
    case BindTo::core:
      return allowed_threads_near(thread, Neighbourhood::core);
    case BindTo::numa:
      return allowed_threads_near(thread, Neighbourhood::numa);
    case BindTo::socket:
      return allowed_threads_near(thread, Neighbourhood::socket);
  }
  return {thread};
}

}  // namespace

CoreBinding::CoreBinding(std::uint32_t workers, BindTo what) : locks_(base::user_folder()) {
  const std::vector<std::uint32_t> there = candidates(what);
  require_enough(what, workers, there.size());
  const bool is_wide = what == BindTo::numa || what == BindTo::socket;
  if (workers > there.size() && !is_wide) {
    return;
  }
  const std::vector<std::uint32_t> threads = is_wide ? there : locks_.take(there, workers);
  for (std::uint32_t w = 0; w < workers; ++w) {
    bound_to_.push_back(around(what, threads[w % threads.size()]));
  }
}

std::optional<std::uint32_t> CoreBinding::bind_this_thread(std::uint32_t worker) const {
  return bound_to_.empty() ? std::nullopt : bind_worker_to(bound_to_[worker]);
}

}  // namespace topology
}  // namespace weft::runtime
