// The thread that polls a FabricTransport while no worker does.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace weft::net {

// One thread calls start(), once, and stop(); any thread may call the other functions.
class FabricProgressThread {
 public:
  struct Callbacks {
    std::function<bool()> poll;           // true if there was something to do
    std::function<bool()> ready_to_wait;  // true if `descriptor` becomes readable for the next thing to do
    std::function<bool()> must_poll;      // something waits that no descriptor reports
    int descriptor = -1;                  // -1: none
  };

  FabricProgressThread();
  ~FabricProgressThread();
  FabricProgressThread(const FabricProgressThread&) = delete;
  FabricProgressThread& operator=(const FabricProgressThread&) = delete;

  void start(Callbacks callbacks);
  // Returns once the thread has ended.
  void stop();

  // A worker polls: the thread does not poll for a while.
  void worker_polls() { last_poll_.store(now(), std::memory_order_relaxed); }
  // A worker that polled goes to sleep: the thread starts to poll at once.
  void take_over();
  // Something waits now that no descriptor reports.
  void wake_up();

 private:
  static std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  bool workers_poll() const;
  void watch();
  void wait_for_work();
  void sleep(int milliseconds, bool for_work);

  Callbacks callbacks_;  // constant after start()
  int wake_ = -1;        // an eventfd
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_backing_off_ = false;  // does not poll, since workers do or there was no work
  std::atomic<std::int64_t> last_poll_ = 0;   // nanoseconds of the steady clock
  int pause_ = 1;                             // milliseconds; used by the thread only
  std::thread thread_;
};

}  // namespace weft::net
