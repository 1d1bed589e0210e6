// rand(), random() and drand48() with the rank's own state, and exactly the C library's sequences: its generators run
// on state that lies here.
#include <stdlib.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

constexpr size_t kInitialBytes = 128;

int random_lock;
bool is_seeded;
random_data generator;
char initial_state[kInitialBytes] __attribute__((aligned(8)));
drand48_data generator48;

random_data& seeded_generator() {
  if (!is_seeded) {
    is_seeded = true;
    initstate_r(1, initial_state, sizeof initial_state, &generator);
  }
  return generator;
}

// The C library's states have a word of bookkeeping in front.
char* current_state() { return reinterpret_cast<char*>(seeded_generator().state - 1); }

}  // namespace
}  // namespace weft::shim

using weft::shim::generator48;
using weft::shim::random_lock;
using weft::shim::seeded_generator;
using weft::shim::ThreadLock;

WEFT_RANK_EXPORT long random() noexcept {
  const ThreadLock lock(random_lock);
  int32_t result = 0;
  random_r(&seeded_generator(), &result);
  return result;
}

WEFT_RANK_EXPORT void srandom(unsigned seed) noexcept {
  const ThreadLock lock(random_lock);
  srandom_r(seed, &seeded_generator());
}

WEFT_RANK_EXPORT char* initstate(unsigned seed, char* state, size_t size) noexcept {
  const ThreadLock lock(random_lock);
  char* const previous = weft::shim::current_state();
  return initstate_r(seed, state, size, &seeded_generator()) == 0 ? previous : nullptr;
}

WEFT_RANK_EXPORT char* setstate(char* state) noexcept {
  const ThreadLock lock(random_lock);
  char* const previous = weft::shim::current_state();
  return setstate_r(state, &seeded_generator()) == 0 ? previous : nullptr;
}

WEFT_RANK_EXPORT int rand() noexcept { return static_cast<int>(random()); }
WEFT_RANK_EXPORT void srand(unsigned seed) noexcept { srandom(seed); }

WEFT_RANK_EXPORT double drand48() noexcept {
  double result = 0;
  drand48_r(&generator48, &result);
  return result;
}

WEFT_RANK_EXPORT double erand48(unsigned short state[3]) noexcept {
  double result = 0;
  erand48_r(state, &generator48, &result);
  return result;
}

WEFT_RANK_EXPORT long lrand48() noexcept {
  long result = 0;
  lrand48_r(&generator48, &result);
  return result;
}

WEFT_RANK_EXPORT long nrand48(unsigned short state[3]) noexcept {
  long result = 0;
  nrand48_r(state, &generator48, &result);
  return result;
}

WEFT_RANK_EXPORT long mrand48() noexcept {
  long result = 0;
  mrand48_r(&generator48, &result);
  return result;
}

WEFT_RANK_EXPORT long jrand48(unsigned short state[3]) noexcept {
  long result = 0;
  jrand48_r(state, &generator48, &result);
  return result;
}

WEFT_RANK_EXPORT void srand48(long seed) noexcept { srand48_r(seed, &generator48); }

WEFT_RANK_EXPORT unsigned short* seed48(unsigned short state[3]) noexcept {
  seed48_r(state, &generator48);
  return generator48.__old_x;
}

WEFT_RANK_EXPORT void lcong48(unsigned short parameters[7]) noexcept { lcong48_r(parameters, &generator48); }
