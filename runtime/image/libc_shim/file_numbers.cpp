// Chooses the descriptor numbers of regular files. The first numbers belong to the process. Above them the i-th file of
// each rank has a number that is unique in the whole job, so it is free in every process to which the rank may move.
#include "runtime/image/libc_shim/file_numbers.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

constexpr long kOfProcess = 512;  // plus two for each rank: sockets to other processes, pipes, MPI files
// take_number() gives up after so many numbers that the process uses, or that another thread of the rank takes at this
// moment.
constexpr int kMisses = 64;

int next_free;  // the numbers of all lower files of the rank are in use

long first_number() { return kOfProcess + 2 * static_cast<long>(weft_shim_info.rank_count); }
long number_of(long file) { return first_number() + file * weft_shim_info.rank_count + weft_shim_info.rank; }

// Raises the limit only as far as needed: programs close all descriptors up to the limit before they start others.
bool raise_limit(int number) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max <= static_cast<rlim_t>(number)) {
    return false;
  }
  const rlim_t enough = 2 * static_cast<rlim_t>(number);
  limit.rlim_cur = enough < limit.rlim_max ? enough : limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

bool is_regular(int descriptor) {
  struct stat status = {};
  return WEFT_OF_PROCESS(fstat)(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// -1: none is left.
int take_number(int descriptor, int least) {
  const bool close_on_exec = (WEFT_OF_PROCESS(fcntl)(descriptor, F_GETFD) & FD_CLOEXEC) != 0;
  int misses = 0;
  for (long file = next_free; misses < kMisses && number_of(file) <= INT_MAX; ++file) {
    const int number = static_cast<int>(number_of(file));
    if (number < least || resource_of(number) != nullptr) {
      continue;
    }
    if (duplicate_at(descriptor, number, close_on_exec) == number) {
      next_free = least == 0 ? static_cast<int>(file) + 1 : next_free;
      return number;
    }
    if (errno != EBUSY) {
      return -1;
    }
    ++misses;
  }
  return -1;
}

}  // namespace

int duplicate_at(int descriptor, int number, bool close_on_exec) {
  const int how = close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD;
  int got = WEFT_OF_PROCESS(fcntl)(descriptor, how, number);
  if (got < 0 && (errno == EINVAL || errno == EMFILE) && raise_limit(number)) {
    got = WEFT_OF_PROCESS(fcntl)(descriptor, how, number);
  }
  if (got >= 0 && got != number) {
    WEFT_OF_PROCESS(close)(got);
    errno = EBUSY;
    return -1;
  }
  return got;
}

int with_own_number(int descriptor, int least) {
  if (descriptor < 0 || is_forked_child() || !is_regular(descriptor)) {
    return descriptor;
  }
  const int error = errno;
  const int number = take_number(descriptor, least);
  if (number >= 0) {
    WEFT_OF_PROCESS(close)(descriptor);
  }
  errno = error;
  return number >= 0 ? number : descriptor;
}

bool is_own_number(int descriptor) {
  const long above = descriptor - first_number();
  return above >= 0 && above % weft_shim_info.rank_count == weft_shim_info.rank;
}

void forget_descriptor(int descriptor) {
  forget_resource(ResourceKind::kDescriptor, static_cast<size_t>(descriptor));
  give_number_back(descriptor);
}

void give_number_back(int descriptor) {
  if (is_own_number(descriptor)) {
    const long file = (descriptor - first_number()) / weft_shim_info.rank_count;
    next_free = file < next_free ? static_cast<int>(file) : next_free;
  }
}

int hold_descriptor(int descriptor, const char* name) {
  if (descriptor < 0) {
    return descriptor;
  }
  const int number = with_own_number(descriptor);
  hold_resource(ResourceKind::kDescriptor, static_cast<size_t>(number), name);
  return number;
}

int hold_duplicate(int copy, int of, int least) {
  if (copy < 0) {
    return copy;
  }
  // A duplicate of the job's output, or of a descriptor that the rank did not open itself, cannot move with the rank.
  const HeldResource* const original = resource_of(of);
  const bool is_ranks = original != nullptr && original->description != 0;
  const int number = is_ranks ? with_own_number(copy, least) : copy;
  note_duplicate(number, of);
  return number;
}

void note_duplicate(int copy, int of) {
  const HeldResource* const original = resource_of(of);
  HeldResource* const resource = hold_resource(ResourceKind::kDescriptor, static_cast<size_t>(copy), "duplicate");
  if (resource != nullptr) {
    resource->description = original != nullptr ? original->description : 0;
    resource->locked = original != nullptr && original->locked;
  }
}

}  // namespace weft::shim
