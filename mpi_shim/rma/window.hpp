// Windows: what each member has of its own. registry.hpp has what the members in one process share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/rma/exposure.hpp"
#include "mpi_shim/rma/registry.hpp"

namespace weft::mpi_shim::rma {

// The values of predefined attributes. In the rank's own memory, since programs keep pointers to them.
struct WindowValues {
  void* base = nullptr;
  MPI_Aint size = 0;
  int disp_unit = 1;
  int flavor = 0;
  int model = MPI_WIN_UNIFIED;
};

// Counts the operations of a window that wait for replies. begin() is called on the owner's fibre, end() on any thread.
class OutstandingOperations {
 public:
  void begin();
  void end();
  // Suspends until the count is 0. `peer` is for deadlock reports.
  void wait(RankState& me, int peer);
  bool none();

 private:
  SpinLock mutex_;  // guards what follows
  std::uint64_t count_ = 0;
  std::vector<runtime::Request*> waiting_requests_;  // of the threads that wait
};

// The access epoch of a member. after_fence: MPI_Win_fence has been called, and no operation since, so that another
// epoch may still begin.
enum class Access : std::uint8_t { none, after_fence, fence, started, locked, locked_all };

// The state of one target in the access epoch. started: of MPI_Win_start, and the target may not have posted yet;
// locked_unchecked: MPI_MODE_NOCHECK, so no lock is held.
enum class TargetEpoch : std::uint8_t { none, started, seen_post, locked, locked_unchecked };

// One rank's view. Its address is stable while the rank stays in its process. Owned by the rank and touched in its
// calls only, except for `shared`, `exposure` and `outstanding`, which any thread may use.
struct Window {
  Window() = default;
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  int size() const { return shared->group->size(); }
  TargetEpoch& target_epoch(int member) { return target_epochs[static_cast<std::size_t>(member)]; }

  std::shared_ptr<WindowShared> shared;
  std::unique_ptr<Exposure> exposure = std::make_unique<Exposure>();
  int rank = 0;
  MPI_Win handle = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;  // the window's own communicator
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  Attributes attributes;
  std::vector<std::pair<std::string, std::string>> hints;
  WindowValues* values = nullptr;
  void* memory = nullptr;  // freed with the window; null if the program owns it

  Access access = Access::none;
  std::vector<TargetEpoch> target_epochs;  // by member; for locked_all the first one is that of all
  std::vector<int> targets;                // started or locked
  int exposed_to = -1;                     // number of members that must complete; -1: no exposure epoch
  std::uint32_t spin_calls = 0;            // counts calls that a program may spin on
  OutstandingOperations outstanding;
  std::vector<std::size_t> unflushed;  // by process: bytes of operations without a reply since the last flush
};

// The windows of one rank.
struct Windows final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::windows;
  HandleTable<Window, HandleKind::window> table;

  void pup(pup::Puper& p, RankState& me) override;
  const char* pinned(const RankState& me) const override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Null if the handle is not live.
Window* find_window(RankState& me, MPI_Win win);
int bad_window(const Entry& entry, MPI_Win win);

// As Entry::raise(), through the window's error handler.
int raise_text(const Entry& entry, const Window& window, int error_class, const std::string& text);
template <typename... Arguments>
int raise(const Entry& entry, const Window& window, int error_class, fmt::format_string<Arguments...> text,
          Arguments&&... arguments) {
  return raise_text(entry, window, error_class, fmt::format(text, std::forward<Arguments>(arguments)...));
}
int null_argument(const Entry& entry, const Window& window, const char* name);

// Allocates and frees memory of the calling rank; null if there is none.
void* allocate(RankState& me, std::size_t alignment, std::size_t bytes);
void deallocate(RankState& me, void* memory);

// Lets other ranks run, in one of several calls: a program that waits for another rank's operation may spin on this
// call.
void yield_sometimes(RankState& me, Window& window);

}  // namespace weft::mpi_shim::rma
