// Text functions that keep state or return a buffer of their own: here it is the rank's.
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

char* token_rest;
char error_text[64];
char signal_text[64];
char number_text[512];
char address_text[32];
char radix_text[8];
char temporary_name[L_tmpnam];
char terminal_name[64];
char login_name[64];

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT char* strtok(char* text, const char* delimiters) noexcept {
  return strtok_r(text, delimiters, &weft::shim::token_rest);
}

WEFT_RANK_EXPORT char* strerror(int error) noexcept {
  return strerror_r(error, weft::shim::error_text, sizeof weft::shim::error_text);
}

WEFT_RANK_EXPORT char* strsignal(int signal) noexcept {
  const char* known = sigdescr_np(signal);
  if (known == nullptr) {
    const bool is_real_time = signal >= SIGRTMIN && signal <= SIGRTMAX;
    snprintf(weft::shim::signal_text, sizeof weft::shim::signal_text,
             is_real_time ? "Real-time signal %d" : "Unknown signal %d", is_real_time ? signal - SIGRTMIN : signal);
    known = weft::shim::signal_text;
  }
  return const_cast<char*>(known);
}

WEFT_RANK_EXPORT char* ecvt(double value, int digits, int* point, int* sign) noexcept {
  ecvt_r(value, digits, point, sign, weft::shim::number_text, sizeof weft::shim::number_text);
  return weft::shim::number_text;
}

WEFT_RANK_EXPORT char* fcvt(double value, int digits, int* point, int* sign) noexcept {
  fcvt_r(value, digits, point, sign, weft::shim::number_text, sizeof weft::shim::number_text);
  return weft::shim::number_text;
}

WEFT_RANK_EXPORT char* qecvt(long double value, int digits, int* point, int* sign) noexcept {
  qecvt_r(value, digits, point, sign, weft::shim::number_text, sizeof weft::shim::number_text);
  return weft::shim::number_text;
}

WEFT_RANK_EXPORT char* qfcvt(long double value, int digits, int* point, int* sign) noexcept {
  qfcvt_r(value, digits, point, sign, weft::shim::number_text, sizeof weft::shim::number_text);
  return weft::shim::number_text;
}

// Base 64 of POSIX, least significant digit first.
WEFT_RANK_EXPORT char* l64a(long value) noexcept {
  static constexpr char kDigits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  char* out = weft::shim::radix_text;
  for (auto rest = static_cast<uint32_t>(value); rest != 0; rest >>= 6) {
    *out++ = kDigits[rest & 63];
  }
  *out = '\0';
  return weft::shim::radix_text;
}

WEFT_RANK_EXPORT char* inet_ntoa(in_addr address) noexcept {
  inet_ntop(AF_INET, &address, weft::shim::address_text, sizeof weft::shim::address_text);
  return weft::shim::address_text;
}

WEFT_RANK_EXPORT char* tmpnam(char* name) noexcept {
  return WEFT_OF_PROCESS(tmpnam)(name != nullptr ? name : weft::shim::temporary_name);
}

WEFT_RANK_EXPORT char* ttyname(int descriptor) noexcept {
  const int error = ttyname_r(descriptor, weft::shim::terminal_name, sizeof weft::shim::terminal_name);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  return weft::shim::terminal_name;
}

WEFT_RANK_EXPORT char* getlogin() {
  const int error = getlogin_r(weft::shim::login_name, sizeof weft::shim::login_name);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  return weft::shim::login_name;
}

// The sign of the last gamma function.
extern "C" {
[[gnu::visibility("default")]] int signgam;
extern int __signgam __attribute__((alias("signgam"), visibility("default")));
}

WEFT_RANK_EXPORT double lgamma(double x) noexcept { return lgamma_r(x, &signgam); }
WEFT_RANK_EXPORT float lgammaf(float x) noexcept { return lgammaf_r(x, &signgam); }
WEFT_RANK_EXPORT long double lgammal(long double x) noexcept { return lgammal_r(x, &signgam); }
WEFT_RANK_EXPORT double gamma(double x) noexcept { return lgamma_r(x, &signgam); }
WEFT_RANK_EXPORT float gammaf(float x) noexcept { return lgammaf_r(x, &signgam); }
WEFT_RANK_EXPORT long double gammal(long double x) noexcept { return lgammal_r(x, &signgam); }
