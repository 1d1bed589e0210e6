// Work that a worker does when it has nothing else to run, or earlier.
#pragma once

namespace weft::runtime {
inline namespace sched {

class Worker;

// Owned by the object that defers it.
struct DeferredWork {
  DeferredWork* next = nullptr;
  void (*run)(Worker& here, DeferredWork& work) = nullptr;  // may defer the work again, or free it
};

// An intrusive list by DeferredWork::next, the latest first. Owned by its worker's thread.
class DeferredWorkList {
 public:
  bool empty() const { return first_ == nullptr; }
  // REQUIRES: the work is not in the list.
  void add(DeferredWork& work) {
    work.next = first_;
    first_ = &work;
  }
  // REQUIRES: the work is in the list.
  void remove(DeferredWork& work) {
    DeferredWork** link = &first_;
    while (*link != &work) {
      link = &(*link)->next;
    }
    *link = work.next;
  }
  // Runs all work, also what is added meanwhile.
  void run(Worker& here) {
    while (DeferredWork* const work = first_) {
      first_ = work->next;
      work->run(here, *work);
    }
  }

 private:
  DeferredWork* first_ = nullptr;
};

}  // namespace sched
}  // namespace weft::runtime
