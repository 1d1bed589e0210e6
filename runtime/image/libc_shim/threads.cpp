// What pthreads keeps per thread, kept per rank instead: keys, and destructors of thread_local objects.
#include "runtime/image/libc_shim/threads.hpp"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

constexpr unsigned kBuckets = 64;

struct Key {
  uint64_t generation;  // odd: in use
  void (*destructor)(void*);
};

Key keys[kKeys];
KeyValue own_values[kKeys];
ThreadState own_state = {.thread = 0,
                         .place = 0,
                         .own = false,
                         .next = nullptr,
                         .blocks = nullptr,
                         .keys = own_values,
                         .destructors = nullptr};
// States of all threads but the one that runs the rank, by thread pointer.
ThreadState* others[kBuckets];
// Guard changes of `others` and of `keys`. thread_state() and look-ups of keys take no lock.
int others_lock, keys_lock;
pthread_key_t hook;  // of the process: its destructor runs in the rank when a thread ends
bool has_hook;

uint64_t thread_pointer() {
  uint64_t pointer = 0;
  asm volatile("mov %%fs:0,%0" : "=r"(pointer));
  return pointer;
}

void run_destructors(ThreadState& state) {
  while (ThreadDestructor* newest = state.destructors) {
    state.destructors = newest->older;
    newest->function(newest->object);
    free(newest);
  }
}

// As in POSIX: repeats while destructors set values, four times at most.
void destroy_keys(ThreadState& state) {
  bool again = state.keys != nullptr;
  for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    again = false;
    for (unsigned i = 0; i < kKeys; ++i) {
      KeyValue& entry = state.keys[i];
      if (entry.value != nullptr && entry.generation == keys[i].generation && keys[i].destructor != nullptr) {
        void* value = entry.value;
        entry.value = nullptr;
        keys[i].destructor(value);
        again = true;
      }
    }
  }
}

// The state of an OpenMP thread stays for the next thread in its place: the library ends threads when another rank
// wants a smaller team.
void on_thread_end(void* pointer) {
  auto* state = static_cast<ThreadState*>(pointer);
  {
    const ThreadLock lock(others_lock);
    if (state->thread != thread_pointer()) {
      return;  // another thread has the place, or the state, by now
    }
    if (state->place != 0) {
      __atomic_store_n(&state->thread, kNoThread, __ATOMIC_RELAXED);
      return;
    }
  }
  run_destructors(*state);
  destroy_keys(*state);
  for (int i = 0; i < weft_shim_info.image_count; ++i) {
    free(state->blocks[i]);
  }
  free(state->blocks);
  free(state->keys);
  state->blocks = nullptr;
  state->keys = nullptr;
  const bool own = state->own;
  state->own = false;
  // Pairs with unused_state() and has_threads(): a thread that finds the state free finds its pointers null.
  __atomic_store_n(&state->thread, 0, __ATOMIC_RELEASE);
  if (own) {
    // Pairs with has_threads(), after which the rank may leave.
    __atomic_fetch_sub(&own_threads, 1, __ATOMIC_RELEASE);
  }
}

ThreadState* unused_state(ThreadState*& bucket) {
  for (ThreadState* state = bucket; state != nullptr; state = state->next) {
    // Pairs with the last store in on_thread_end(), of the thread that had the state before.
    if (__atomic_load_n(&state->thread, __ATOMIC_ACQUIRE) == 0) {
      return state;
    }
  }
  auto* state = static_cast<ThreadState*>(calloc(1, sizeof(ThreadState)));
  if (state != nullptr) {
    state->next = bucket;
    // Pairs with the load in thread_state(), which walks the list without the lock.
    __atomic_store_n(&bucket, state, __ATOMIC_RELEASE);
  }
  return state;
}

// Threads that the rank created may have teams of their own: then several threads may have the same place.
bool places_are_known() {
  return weft_shim_info.host.place_in_teams != nullptr && __atomic_load_n(&own_threads, __ATOMIC_RELAXED) == 0;
}

uint64_t place_in_teams() { return places_are_known() ? weft_shim_info.host.place_in_teams() : 0; }

// The library may assign a thread another place: LLVM's keeps threads that a team does not need for any other team.
bool is_out_of_place(const ThreadState& state) {
  return weft_shim_info.host.keep_places == 0 && state.place != 0 && places_are_known() &&
         state.place != weft_shim_info.host.place_in_teams();
}

// The state of the thread that was in this place of OpenMP's teams before; null if there was none. A new thread has the
// place because the rank has moved to another worker with other threads, or the old one has ended or has another place.
ThreadState* state_of(uint64_t place) {
  for (ThreadState* state : others) {
    for (; state != nullptr; state = state->next) {
      if (state->thread != 0 && state->place == place && state->blocks != nullptr) {
        return state;
      }
    }
  }
  return nullptr;
}

void take_over(ThreadState& state, ThreadState& before) {
  state.blocks = before.blocks;
  state.keys = before.keys;
  state.destructors = before.destructors;
  before.blocks = nullptr;
  before.keys = nullptr;
  before.destructors = nullptr;
  // Pairs with unused_state(), as the last store in on_thread_end() does.
  __atomic_store_n(&before.thread, 0, __ATOMIC_RELEASE);
}

// `former`: the thread's state in another place, or null.
ThreadState* add_state(ThreadState*& bucket, uint64_t thread, ThreadState* former) {
  weft_shim_info.threaded = 1;
  const ThreadLock lock(others_lock);
  if (former != nullptr && former->thread == thread) {  // otherwise another thread has taken it over meanwhile
    __atomic_store_n(&former->thread, kNoThread, __ATOMIC_RELAXED);
  }
  ThreadState* state = unused_state(bucket);
  if (state == nullptr) {
    return nullptr;
  }
  state->place = place_in_teams();
  if (ThreadState* const before = state->place != 0 ? state_of(state->place) : nullptr; before != nullptr) {
    take_over(*state, *before);
  } else {
    state->blocks = static_cast<char**>(calloc(static_cast<size_t>(weft_shim_info.image_count), sizeof(char*)));
    state->keys = static_cast<KeyValue*>(calloc(kKeys, sizeof(KeyValue)));
  }
  if (state->blocks == nullptr || state->keys == nullptr) {
    return nullptr;
  }
  if (!has_hook) {
    has_hook = WEFT_OF_PROCESS(pthread_key_create)(&hook, on_thread_end) == 0;
  }
  if (has_hook) {
    WEFT_OF_PROCESS(pthread_setspecific)(hook, state);
  }
  // Pairs with has_threads(); thread_state() looks for its own thread only.
  __atomic_store_n(&state->thread, thread, __ATOMIC_RELEASE);
  return state;
}

bool is_used(pthread_key_t key) { return key < kKeys && (keys[key].generation & 1) != 0; }

}  // namespace

unsigned own_threads;

ThreadState* thread_state() {
  if (on_rank_stack()) {
    return &own_state;
  }
  const uint64_t thread = thread_pointer();
  ThreadState*& bucket = others[thread / 4096 % kBuckets];
  // Pairs with the store in unused_state(): a state is complete before it is in the list.
  ThreadState* state = __atomic_load_n(&bucket, __ATOMIC_ACQUIRE);
  while (state != nullptr && __atomic_load_n(&state->thread, __ATOMIC_RELAXED) != thread) {
    state = state->next;
  }
  return state != nullptr && !is_out_of_place(*state) ? state : add_state(bucket, thread, state);
}

void run_thread_destructors() { run_destructors(own_state); }

bool has_threads() {
  // Pairs with the decrement in on_thread_end(): what such a thread has written is visible.
  if (__atomic_load_n(&own_threads, __ATOMIC_ACQUIRE) != 0) {
    return true;
  }
  for (ThreadState* state : others) {
    for (; state != nullptr; state = state->next) {
      // Pairs with the stores of `thread` in add_state() and on_thread_end().
      if (__atomic_load_n(&state->thread, __ATOMIC_ACQUIRE) != 0 && state->place == 0) {
        return true;
      }
    }
  }
  return false;
}

void leave_teams() {
  has_hook = false;  // the key belongs to the other process, as does a thread that may have held a lock
  others_lock = 0;
  keys_lock = 0;
  for (ThreadState* state : others) {
    for (; state != nullptr; state = state->next) {
      state->thread = state->thread != 0 ? kNoThread : 0;
    }
  }
}

void forget_threads() {
  if (has_hook) {
    has_hook = false;
    WEFT_OF_PROCESS(pthread_key_delete)(hook);
  }
}

}  // namespace weft::shim

using weft::shim::ThreadLock;

WEFT_RANK_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library);

int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void*) {
  auto* entry = static_cast<weft::shim::ThreadDestructor*>(malloc(sizeof(weft::shim::ThreadDestructor)));
  weft::shim::ThreadState* state = weft::shim::thread_state();
  if (entry == nullptr || state == nullptr) {
    return -1;
  }
  *entry = {function, object, state->destructors};
  state->destructors = entry;
  return 0;
}

WEFT_RANK_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const ThreadLock lock(weft::shim::keys_lock);
  for (pthread_key_t i = 0; i < weft::shim::kKeys; ++i) {
    if (!weft::shim::is_used(i)) {
      ++weft::shim::keys[i].generation;
      weft::shim::keys[i].destructor = destructor;
      *key = i;
      return 0;
    }
  }
  return EAGAIN;
}

WEFT_RANK_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  const ThreadLock lock(weft::shim::keys_lock);
  if (!weft::shim::is_used(key)) {
    return EINVAL;
  }
  ++weft::shim::keys[key].generation;
  return 0;
}

WEFT_RANK_EXPORT void* pthread_getspecific(pthread_key_t key) noexcept {
  const weft::shim::ThreadState* state = weft::shim::thread_state();
  if (state == nullptr || !weft::shim::is_used(key)) {
    return nullptr;
  }
  const weft::shim::KeyValue& entry = state->keys[key];
  return entry.generation == weft::shim::keys[key].generation ? entry.value : nullptr;
}

WEFT_RANK_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  weft::shim::ThreadState* state = weft::shim::thread_state();
  if (!weft::shim::is_used(key)) {
    return EINVAL;
  }
  if (state == nullptr) {
    return ENOMEM;
  }
  state->keys[key] = {weft::shim::keys[key].generation, const_cast<void*>(value)};
  return 0;
}

WEFT_RANK_EXPORT int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept;
WEFT_RANK_EXPORT void* __pthread_getspecific(pthread_key_t key);
WEFT_RANK_EXPORT int __pthread_setspecific(pthread_key_t key, const void* value);

int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return pthread_key_create(key, destructor);
}
void* __pthread_getspecific(pthread_key_t key) { return pthread_getspecific(key); }
int __pthread_setspecific(pthread_key_t key, const void* value) { return pthread_setspecific(key, value); }

WEFT_RANK_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return pthread_key_create(key, destructor) == 0 ? thrd_success : thrd_error;
}
WEFT_RANK_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
WEFT_RANK_EXPORT void* tss_get(tss_t key) { return pthread_getspecific(key); }
WEFT_RANK_EXPORT int tss_set(tss_t key, void* value) {
  return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

// On the rank's own stack this ends the rank: the thread beneath is a worker's.
WEFT_RANK_EXPORT void pthread_exit(void* result) {
  if (weft::shim::on_rank_stack()) {
    weft::shim::run_thread_destructors();
    weft::shim::destroy_keys(weft::shim::own_state);
    exit(0);
  }
  WEFT_OF_PROCESS(pthread_exit)(result);
  __builtin_trap();
}

WEFT_RANK_EXPORT void thrd_exit(int result) { pthread_exit(reinterpret_cast<void*>(static_cast<intptr_t>(result))); }
