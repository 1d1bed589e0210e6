#include "mpi_shim/rma/window.hpp"

#include "base/check.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/state/process_state.hpp"

namespace weft::mpi_shim::rma {

WindowShared::WindowShared(std::uint32_t number, std::shared_ptr<const Group> members,
                           std::vector<WindowMemory> their_memories)
    : id(number),
      group(std::move(members)),
      memories(std::move(their_memories)),
      exposures(std::make_unique<std::atomic<Exposure*>[]>(memories.size())) {}

std::shared_ptr<WindowShared> WindowRegistry::find(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(id);
  return found == windows_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<WindowShared> WindowRegistry::find_or_make(std::uint32_t id, std::shared_ptr<const Group> group,
                                                           std::vector<WindowMemory> memories) {
  const std::lock_guard lock(mutex_);
  auto window = windows_[id].lock();
  if (window == nullptr) {
    std::erase_if(windows_, [](const auto& entry) { return entry.second.expired(); });
    window = std::make_shared<WindowShared>(id, std::move(group), std::move(memories));
    windows_[id] = window;
  }
  return window;
}

void OutstandingOperations::begin() {
  const std::lock_guard guard(mutex_);
  ++count_;
}

void OutstandingOperations::end() {
  std::vector<runtime::Request*> events;
  {
    const std::lock_guard guard(mutex_);
    if (--count_ == 0) {
      events.swap(waiting_requests_);
    }
  }
  for (runtime::Request* event : events) {
    runtime::finish_event(*event);
  }
}

void OutstandingOperations::wait(RankState& me, int peer) {
  runtime::Request event;
  {
    const std::lock_guard guard(mutex_);
    if (count_ == 0) {
      return;
    }
    runtime::start_event(*me.rank, peer, {}, event);
    waiting_requests_.push_back(&event);
  }
  wait_message(me, event);
}

bool OutstandingOperations::none() {
  const std::lock_guard guard(mutex_);
  return count_ == 0;
}

// In a balancing step the unpacked copy of the rank may have registered its exposure in this process already.
Window::~Window() {
  if (shared != nullptr) {
    Exposure* mine = exposure.get();
    // Pairs with local_exposure(), and with the unpacked copy's store in pup_window(), which must stay: so this clears
    // only its own exposure.
    shared->exposures[static_cast<std::size_t>(rank)].compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel);
  }
}

Window* find_window(RankState& me, MPI_Win win) { return me.part<Windows>().table.find(win); }

int bad_window(const Entry& entry, MPI_Win win) {
  if (win == MPI_WIN_NULL) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_WIN, "win is MPI_WIN_NULL");
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_WIN, "win {:#x} is not a window of this rank", handle_value(win));
}

int raise_text(const Entry& entry, const Window& window, int error_class, const std::string& text) {
  // An error handler of the program gets the address of the handle, of whatever kind the object is.
  return handle_error(entry.me, reinterpret_cast<MPI_Comm>(window.handle), window.errhandler,
                      {error_class, entry.call(), text.c_str()});
}

int null_argument(const Entry& entry, const Window& window, const char* name) {
  return raise(entry, window, MPI_ERR_ARG, "{} is a null pointer", name);
}

void* allocate(RankState& me, std::size_t alignment, std::size_t bytes) {
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  return me.rank->job.program().allocate(me.rank->id, alignment, rounded);
}

void deallocate(RankState& me, void* memory) { me.rank->job.program().deallocate(me.rank->id, memory); }

namespace {

void pup_window(pup::Puper& p, runtime::Rank& owner, Window& window) {
  base::check(p.unpacking() || window.outstanding.none(), "a rank is packed while its window waits for an answer");
  std::uint32_t id = p.unpacking() ? 0 : window.shared->id;
  std::shared_ptr<const Group> group = p.unpacking() ? nullptr : window.shared->group;
  std::vector<WindowMemory> memories = p.unpacking() ? std::vector<WindowMemory>() : window.shared->memories;
  p | id | group | memories | *window.exposure | window.rank | window.name | window.hints | window.access |
      window.target_epochs | window.targets | window.exposed_to;
  pup::same_address(p, window.handle);
  pup::same_address(p, window.comm);
  pup::same_address(p, window.errhandler);
  pup::same_address(p, window.values);
  pup::same_address(p, window.memory);
  pup_attributes(p, window.attributes);
  if (p.unpacking()) {
    window.shared = process_part<WindowRegistry>(owner.job).find_or_make(id, std::move(group), std::move(memories));
    window.unflushed.resize(owner.job.process_count());
    // Pairs with local_exposure(): a thread that finds the exposure sees it completely constructed.
    window.shared->exposures[static_cast<std::size_t>(window.rank)].store(window.exposure.get(),
                                                                          std::memory_order_release);
  }
}

const char* pinned_by(const Window& window) {
  const bool shares = window.values->flavor == MPI_WIN_FLAVOR_SHARED && window.size() > 1;
  return shares ? "it shares memory with other ranks (MPI_Win_allocate_shared)" : nullptr;
}

}  // namespace

void Windows::pup(pup::Puper& p, RankState& me) {
  table.pup(p, [&](Window& window) { pup_window(p, *me.rank, window); });
}

const char* Windows::pinned(const RankState& /*me*/) const {
  const char* why = nullptr;
  table.for_each([&](const Window& window) { why = why == nullptr ? pinned_by(window) : why; });
  return why;
}

void Windows::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, table, creations, "window never freed");
}

void yield_sometimes(RankState& me, Window& window) {
  constexpr std::uint32_t kCallsPerYield = 8;
  if (++window.spin_calls % kCallsPerYield == 0) {
    runtime::yield(*me.rank);
  }
}

}  // namespace weft::mpi_shim::rma
