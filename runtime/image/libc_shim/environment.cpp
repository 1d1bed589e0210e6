// The rank's own environment: what setenv() and putenv() change is seen by this rank only.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

// Three names of one variable.
extern "C" {
[[gnu::visibility("default")]] char** environ;
extern char** __environ __attribute__((alias("environ"), visibility("default")));
extern char** _environ __attribute__((alias("environ"), visibility("default")));
}

namespace weft::shim {
namespace {

char** owned;          // the array that this file allocated last
int environment_lock;  // guards changes of the environment

size_t count(char** variables) {
  size_t n = 0;
  while (variables != nullptr && variables[n] != nullptr) {
    ++n;
  }
  return n;
}

// The entry for `name` in the array, or the null at its end.
char** find(const char* name, size_t length) {
  char** entry = environ;
  while (*entry != nullptr && (strncmp(*entry, name, length) != 0 || (*entry)[length] != '=')) {
    ++entry;
  }
  return entry;
}

bool is_name(const char* name) { return name != nullptr && *name != '\0' && strchr(name, '=') == nullptr; }

// Programs may set environ to an array of their own; it is copied before it grows.
bool append(char* variable) {
  const size_t n = count(environ);
  auto** grown = static_cast<char**>(reallocarray(environ == owned ? owned : nullptr, n + 2, sizeof(char*)));
  if (grown == nullptr) {
    return false;
  }
  if (environ != owned && n != 0) {
    memcpy(grown, environ, n * sizeof(char*));
  }
  grown[n] = variable;
  grown[n + 1] = nullptr;
  environ = owned = grown;
  return true;
}

bool put(char* variable, size_t name_length) {
  if (environ != nullptr) {
    if (char** entry = find(variable, name_length); *entry != nullptr) {
      *entry = variable;
      return true;
    }
  }
  return append(variable);
}

}  // namespace

void start_environment() {
  char** const* process = static_cast<char***>(dlsym(RTLD_NEXT, "environ"));
  char** const variables = process != nullptr ? *process : nullptr;
  const size_t n = count(variables);
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    bytes += strlen(variables[i]) + 1;
  }
  owned = static_cast<char**>(calloc(n + 1, sizeof(char*)));
  char* text = static_cast<char*>(malloc(bytes));
  if (owned == nullptr || text == nullptr) {
    fail("the rank's heap has no room for its environment");
  }
  for (size_t i = 0; i < n; ++i) {
    owned[i] = text;
    text = stpcpy(text, variables[i]) + 1;
  }
  environ = owned;
}

}  // namespace weft::shim

using weft::shim::ThreadLock;

WEFT_RANK_EXPORT char* getenv(const char* name) noexcept {
  if (environ == nullptr || *name == '\0') {
    return nullptr;
  }
  const size_t length = strlen(name);
  char** entry = weft::shim::find(name, length);
  return *entry != nullptr ? *entry + length + 1 : nullptr;
}

WEFT_RANK_EXPORT char* secure_getenv(const char* name) noexcept { return getenv(name); }

// The old text is not freed: a pointer from getenv() may still be in use.
WEFT_RANK_EXPORT int setenv(const char* name, const char* value, int replace) noexcept {
  if (!weft::shim::is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  const ThreadLock lock(weft::shim::environment_lock);
  if (replace == 0 && getenv(name) != nullptr) {
    return 0;
  }
  const size_t length = strlen(name);
  char* variable = static_cast<char*>(malloc(length + strlen(value) + 2));
  if (variable == nullptr) {
    return -1;
  }
  strcpy(stpcpy(stpcpy(variable, name), "="), value);
  return weft::shim::put(variable, length) ? 0 : -1;
}

WEFT_RANK_EXPORT int unsetenv(const char* name) noexcept {
  if (!weft::shim::is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  const ThreadLock lock(weft::shim::environment_lock);
  const size_t length = strlen(name);
  while (environ != nullptr) {
    char** entry = weft::shim::find(name, length);
    if (*entry == nullptr) {
      break;
    }
    for (; *entry != nullptr; ++entry) {
      entry[0] = entry[1];
    }
  }
  return 0;
}

WEFT_RANK_EXPORT int putenv(char* variable) noexcept {
  const char* equals = strchr(variable, '=');
  if (equals == nullptr) {
    return unsetenv(variable);
  }
  const ThreadLock lock(weft::shim::environment_lock);
  return weft::shim::put(variable, static_cast<size_t>(equals - variable)) ? 0 : -1;
}

WEFT_RANK_EXPORT int clearenv() noexcept {
  environ = nullptr;
  return 0;
}
