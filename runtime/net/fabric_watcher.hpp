// The thread that moves a FabricTransport on while no worker polls it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace weft::net {

class FabricWatcher {
 public:
  struct Duties {
    std::function<bool()> poll;           // true if there was something to do
    std::function<bool()> ready_to_wait;  // true if `descriptor` becomes readable for the next thing to do
    std::function<bool()> hurried;        // something waits that no descriptor covers
    int descriptor = -1;                  // -1: none
  };

  FabricWatcher();
  ~FabricWatcher();
  FabricWatcher(const FabricWatcher&) = delete;
  FabricWatcher& operator=(const FabricWatcher&) = delete;

  void start(Duties duties);
  void stop();

  // A worker polls now: the thread stays away for a while.
  void worker_polls() { last_poll_.store(now(), std::memory_order_relaxed); }
  // A worker that polled goes to sleep: the thread takes over at once.
  void take_over();
  // Something has begun to wait that no descriptor covers.
  void hurry();

 private:
  static std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  bool workers_poll() const;
  void watch();
  void wait_for_work();
  void sleep(int milliseconds, bool for_work);

  Duties duties_;
  int wake_ = -1;  // an eventfd
  std::atomic<bool> stop_ = false;
  std::atomic<bool> away_ = false;           // sleeps because workers poll
  std::atomic<std::int64_t> last_poll_ = 0;  // nanoseconds of the steady clock
  int pause_ = 1;                            // the thread's own: milliseconds
  std::thread thread_;
};

}  // namespace weft::net
