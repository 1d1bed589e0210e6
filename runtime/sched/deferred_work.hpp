// What a worker does when it has nothing else to run, or earlier.
#pragma once

namespace weft::runtime {
inline namespace sched {

class Worker;

// Owned by who defers it.
struct DeferredWork {
  DeferredWork* next = nullptr;
  void (*run)(Worker& here, DeferredWork& work) = nullptr;  // the work may be deferred again, or end, in this
};

// An intrusive list by DeferredWork::next, the latest first. Owned by its worker's thread.
class DeferredWorkList {
 public:
  bool empty() const { return first_ == nullptr; }
  // Work that is not in the list yet.
  void add(DeferredWork& work) {
    work.next = first_;
    first_ = &work;
  }
  // Work that is in the list.
  void remove(DeferredWork& work) {
    DeferredWork** link = &first_;
    while (*link != &work) {
      link = &(*link)->next;
    }
    *link = work.next;
  }
  // Until there is none, also of what is added meanwhile.
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
