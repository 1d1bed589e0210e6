// The ready contexts of one worker, first come first served.
#pragma once

#include "runtime/sched/execution_context.hpp"

namespace weft::runtime {
inline namespace sched {

// An intrusive list by ExecutionContext::next. Owned by its worker's thread.
class RunQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  ExecutionContext* first() const { return first_; }

  void push(ExecutionContext& context) {
    context.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &context;
    last_ = &context;
  }
  void push_front(ExecutionContext& context) {
    context.next = first_;
    first_ = &context;
    last_ = last_ == nullptr ? &context : last_;
  }
  // The first one; null when there is none.
  ExecutionContext* pop() {
    ExecutionContext* const context = first_;
    if (context != nullptr) {
      first_ = context->next;
      if (first_ == nullptr) {
        last_ = nullptr;
      }
    }
    return context;
  }
  // Removes and returns the context behind `before`, which must not be the last one; null: the first context.
  ExecutionContext& take_behind(ExecutionContext* before) {
    ExecutionContext* const found = before == nullptr ? first_ : before->next;
    (before == nullptr ? first_ : before->next) = found->next;
    if (last_ == found) {
      last_ = before;
    }
    return *found;
  }

 private:
  ExecutionContext* first_ = nullptr;
  ExecutionContext* last_ = nullptr;
};

}  // namespace sched
}  // namespace weft::runtime
