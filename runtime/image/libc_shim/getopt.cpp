// getopt, getopt_long and getopt_long_only with the rank's own state, as the GNU C library behaves: arguments are
// permuted unless POSIXLY_CORRECT is set or the options begin with '+'; '-' hands non-options out as option 1.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_state.hpp"

extern "C" {
[[gnu::visibility("default")]] char* optarg;
[[gnu::visibility("default")]] int optind = 1;
[[gnu::visibility("default")]] int opterr = 1;
[[gnu::visibility("default")]] int optopt = '?';
}

namespace weft::shim {
namespace {

enum class Order { kRequire, kPermute, kReturn };

// One scan over the arguments; starts again when the program sets optind to 0.
struct Scan {
  bool is_started;
  Order order;
  char* rest;       // of the argument that holds several short options; null or "" when it is used up
  int first, last;  // non-options that were passed over: [first, last)
};

Scan scan;
int bad_option;  // what optopt gets after each call

struct Call {
  int count;
  char** arguments;
  const char* options;  // without its leading '+' or '-'
  const option* longs;  // or null
  int* index;           // where to store the long option's index, or null
  bool is_long_only;
  bool is_silent;  // reports a missing argument as ':'

  bool complains() const { return opterr != 0 && !is_silent; }
  const char* name() const { return arguments[0]; }
  int missing() const { return options[0] == ':' ? ':' : '?'; }
};

void start(const char* options) {
  if (optind == 0) {
    optind = 1;
  }
  scan = {true, Order::kPermute, nullptr, optind, optind};
  if (options[0] == '-') {
    scan.order = Order::kReturn;
  } else if (options[0] == '+' || getenv("POSIXLY_CORRECT") != nullptr) {
    scan.order = Order::kRequire;
  }
}

void reverse(char** arguments, int from, int to) {
  for (; from < to - 1; ++from) {
    --to;
    char* const kept = arguments[from];
    arguments[from] = arguments[to];
    arguments[to] = kept;
  }
}

// Moves the non-options [first, last) behind the options [last, optind) that followed them.
void permute(char** arguments) {
  reverse(arguments, scan.first, scan.last);
  reverse(arguments, scan.last, optind);
  reverse(arguments, scan.first, optind);
  scan.first += optind - scan.last;
  scan.last = optind;
}

bool is_non_option(const char* argument) { return argument[0] != '-' || argument[1] == '\0'; }

void pass_over_non_options(const Call& call) {
  if (scan.first != scan.last && scan.last != optind) {
    permute(call.arguments);
  } else if (scan.last != optind) {
    scan.first = optind;
  }
  while (optind < call.count && is_non_option(call.arguments[optind])) {
    ++optind;
  }
  scan.last = optind;
}

// "--" ends the options: all that follows counts as non-options.
void end_at_double_dash(const Call& call) {
  ++optind;
  if (scan.first != scan.last && scan.last != optind) {
    permute(call.arguments);
  } else if (scan.first == scan.last) {
    scan.first = optind;
  }
  scan.last = call.count;
  optind = call.count;
}

struct Match {
  const option* found;
  int index;
  bool is_ambiguous;
};

bool same_meaning(const option& a, const option& b) {
  return a.has_arg == b.has_arg && a.flag == b.flag && a.val == b.val;
}

// An exact name, else the only option that the text abbreviates.
Match match(const Call& call, const char* text, size_t length) {
  Match result = {nullptr, 0, false};
  for (int i = 0; call.longs[i].name != nullptr; ++i) {
    const option& candidate = call.longs[i];
    if (strncmp(candidate.name, text, length) != 0) {
      continue;
    }
    if (strlen(candidate.name) == length) {
      return {&candidate, i, false};
    }
    if (result.found == nullptr) {
      result = {&candidate, i, false};
    } else if (call.is_long_only || !same_meaning(*result.found, candidate)) {
      result.is_ambiguous = true;
    }
  }
  return result;
}

void complain_ambiguous(const Call& call, const char* prefix, const char* text, size_t length) {
  flockfile(stderr);
  fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call.name(), prefix, text);
  for (const option* candidate = call.longs; candidate->name != nullptr; ++candidate) {
    if (strncmp(candidate->name, text, length) == 0) {
      fprintf(stderr, " '%s%s'", prefix, candidate->name);
    }
  }
  fprintf(stderr, "\n");
  funlockfile(stderr);
}

// The option is known; takes its argument from "=text" or the next word.
int take_long(const Call& call, const char* prefix, const Match& match, char* equals) {
  const option& found = *match.found;
  ++optind;
  scan.rest = nullptr;
  if (*equals != '\0') {
    if (found.has_arg == no_argument) {
      if (call.complains()) {
        fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", call.name(), prefix, found.name);
      }
      bad_option = found.val;
      return '?';
    }
    optarg = equals + 1;
  } else if (found.has_arg == required_argument) {
    if (optind >= call.count) {
      if (call.complains()) {
        fprintf(stderr, "%s: option '%s%s' requires an argument\n", call.name(), prefix, found.name);
      }
      bad_option = found.val;
      return call.missing();
    }
    optarg = call.arguments[optind++];
  }
  if (call.index != nullptr) {
    *call.index = match.index;
  }
  if (found.flag != nullptr) {
    *found.flag = found.val;
    return 0;
  }
  return found.val;
}

constexpr int kNotLong = -1;

// text: behind the prefix "--" or "-". kNotLong if getopt_long_only should try a short option.
int parse_long(const Call& call, const char* prefix, char* text) {
  char* equals = text;
  while (*equals != '\0' && *equals != '=') {
    ++equals;
  }
  const auto length = static_cast<size_t>(equals - text);
  const Match found = match(call, text, length);
  if (found.is_ambiguous) {
    if (call.complains()) {
      complain_ambiguous(call, prefix, text, length);
    }
  } else if (found.found != nullptr) {
    return take_long(call, prefix, found, equals);
  } else if (call.is_long_only && prefix[1] == '\0' && strchr(call.options, text[0]) != nullptr) {
    return kNotLong;
  } else if (call.complains()) {
    fprintf(stderr, "%s: unrecognized option '%s%s'\n", call.name(), prefix, text);
  }
  scan.rest = nullptr;
  ++optind;
  bad_option = 0;
  return '?';
}

// "-W name" means "--name" if the options hold "W;".
int parse_w(const Call& call) {
  if (*scan.rest != '\0') {
    optarg = scan.rest;
  } else if (optind == call.count) {
    if (call.complains()) {
      fprintf(stderr, "%s: option requires an argument -- '%c'\n", call.name(), 'W');
    }
    bad_option = 'W';
    return call.missing();
  } else {
    optarg = call.arguments[optind];
  }
  char* const text = optarg;
  optarg = nullptr;
  return parse_long(call, "-W ", text);
}

int take_short_argument(const Call& call, const char* entry) {
  if (*scan.rest != '\0') {
    optarg = scan.rest;
    ++optind;
  } else if (entry[2] == ':') {
    optarg = nullptr;
  } else if (optind == call.count) {
    if (call.complains()) {
      fprintf(stderr, "%s: option requires an argument -- '%c'\n", call.name(), *entry);
    }
    bad_option = static_cast<unsigned char>(*entry);
    scan.rest = nullptr;
    return call.missing();
  } else {
    optarg = call.arguments[optind++];
  }
  scan.rest = nullptr;
  return static_cast<unsigned char>(*entry);
}

int parse_short(const Call& call) {
  const char letter = *scan.rest++;
  const char* entry = strchr(call.options, letter);
  if (*scan.rest == '\0') {
    ++optind;
  }
  if (entry == nullptr || letter == ':' || letter == ';') {
    if (call.complains()) {
      fprintf(stderr, "%s: invalid option -- '%c'\n", call.name(), letter);
    }
    bad_option = static_cast<unsigned char>(letter);
    return '?';
  }
  if (entry[0] == 'W' && entry[1] == ';' && call.longs != nullptr) {
    return parse_w(call);
  }
  if (entry[1] == ':') {
    return take_short_argument(call, entry);
  }
  return static_cast<unsigned char>(letter);
}

// Finds the next argument with options. False: *result is what to return.
bool find_option(const Call& call, int* result) {
  scan.last = scan.last > optind ? optind : scan.last;
  scan.first = scan.first > optind ? optind : scan.first;
  if (scan.order == Order::kPermute) {
    pass_over_non_options(call);
  }
  if (optind != call.count && strcmp(call.arguments[optind], "--") == 0) {
    end_at_double_dash(call);
  }
  *result = -1;
  if (optind == call.count) {
    if (scan.first != scan.last) {
      optind = scan.first;
    }
    return false;
  }
  if (is_non_option(call.arguments[optind])) {
    if (scan.order == Order::kReturn) {
      optarg = call.arguments[optind++];
      *result = 1;
    }
    return false;
  }
  return true;
}

bool may_be_long(const Call& call, const char* argument) {
  return call.is_long_only &&
         (argument[2] != '\0' || strchr(call.options, argument[1]) == nullptr || argument[1] == ':');
}

int parse(Call call) {
  if (call.count < 1) {
    return -1;
  }
  optarg = nullptr;
  if (optind == 0 || !scan.is_started) {
    start(call.options);
  }
  call.options += call.options[0] == '-' || call.options[0] == '+' ? 1 : 0;
  call.is_silent = call.options[0] == ':';
  if (scan.rest == nullptr || *scan.rest == '\0') {
    int result = -1;
    if (!find_option(call, &result)) {
      return result;
    }
    char* const argument = call.arguments[optind];
    if (call.longs != nullptr && argument[1] == '-') {
      return parse_long(call, "--", argument + 2);
    }
    if (call.longs != nullptr && may_be_long(call, argument)) {
      if (const int code = parse_long(call, "-", argument + 1); code != kNotLong) {
        return code;
      }
    }
    scan.rest = argument + 1;
  }
  return parse_short(call);
}

int next(const Call& call) {
  const int code = parse(call);
  optopt = bad_option;
  return code;
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int getopt(int count, char* const* arguments, const char* options) noexcept {
  return weft::shim::next({count, const_cast<char**>(arguments), options, nullptr, nullptr, false, false});
}

WEFT_RANK_EXPORT int __posix_getopt(int count, char* const* arguments, const char* options);
int __posix_getopt(int count, char* const* arguments, const char* options) {
  const int code = getopt(count, arguments, options);
  weft::shim::scan.order = weft::shim::Order::kRequire;
  return code;
}

WEFT_RANK_EXPORT int getopt_long(int count, char* const* arguments, const char* options, const option* longs,
                                 int* index) noexcept {
  return weft::shim::next({count, const_cast<char**>(arguments), options, longs, index, false, false});
}

WEFT_RANK_EXPORT int getopt_long_only(int count, char* const* arguments, const char* options, const option* longs,
                                      int* index) noexcept {
  return weft::shim::next({count, const_cast<char**>(arguments), options, longs, index, true, false});
}
