// Look-ups of users, groups, hosts and services that return a static buffer: here the rank's own.
#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

// A record and the text to which it points, which lies in the rank's heap and grows as needed.
template <class Record>
struct Entry {
  Record record;
  char* text;
  size_t size;

  bool grow() {
    const size_t larger = size == 0 ? 1024 : 2 * size;
    char* grown = static_cast<char*>(realloc(text, larger));
    if (grown == nullptr) {
      return false;
    }
    text = grown;
    size = larger;
    return true;
  }

  // look_up(record, text, size, &result): the C library's function; returns ERANGE if the text is too short.
  template <class LookUp>
  Record* find(LookUp look_up) {
    if (size == 0 && !grow()) {
      return nullptr;
    }
    Record* result = nullptr;
    int error = look_up(&record, text, size, &result);
    while (error == ERANGE && grow()) {
      error = look_up(&record, text, size, &result);
    }
    if (error != 0) {
      errno = error;
    }
    return error == 0 ? result : nullptr;
  }
};

Entry<passwd> user;
Entry<group> user_group;
Entry<hostent> host;
Entry<servent> service;
Entry<protoent> protocol;

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT passwd* getpwnam(const char* name) {
  return weft::shim::user.find(
      [=](passwd* record, char* text, size_t n, passwd** result) { return getpwnam_r(name, record, text, n, result); });
}

WEFT_RANK_EXPORT passwd* getpwuid(uid_t id) {
  return weft::shim::user.find(
      [=](passwd* record, char* text, size_t n, passwd** result) { return getpwuid_r(id, record, text, n, result); });
}

WEFT_RANK_EXPORT group* getgrnam(const char* name) {
  return weft::shim::user_group.find(
      [=](group* record, char* text, size_t n, group** result) { return getgrnam_r(name, record, text, n, result); });
}

WEFT_RANK_EXPORT group* getgrgid(gid_t id) {
  return weft::shim::user_group.find(
      [=](group* record, char* text, size_t n, group** result) { return getgrgid_r(id, record, text, n, result); });
}

WEFT_RANK_EXPORT hostent* gethostbyname(const char* name) {
  return weft::shim::host.find([=](hostent* record, char* text, size_t n, hostent** result) {
    return gethostbyname_r(name, record, text, n, result, &h_errno);
  });
}

WEFT_RANK_EXPORT hostent* gethostbyname2(const char* name, int family) {
  return weft::shim::host.find([=](hostent* record, char* text, size_t n, hostent** result) {
    return gethostbyname2_r(name, family, record, text, n, result, &h_errno);
  });
}

WEFT_RANK_EXPORT hostent* gethostbyaddr(const void* address, socklen_t length, int type) {
  return weft::shim::host.find([=](hostent* record, char* text, size_t n, hostent** result) {
    return gethostbyaddr_r(address, length, type, record, text, n, result, &h_errno);
  });
}

WEFT_RANK_EXPORT servent* getservbyname(const char* name, const char* transport) {
  return weft::shim::service.find([=](servent* record, char* text, size_t n, servent** result) {
    return getservbyname_r(name, transport, record, text, n, result);
  });
}

WEFT_RANK_EXPORT servent* getservbyport(int port, const char* transport) {
  return weft::shim::service.find([=](servent* record, char* text, size_t n, servent** result) {
    return getservbyport_r(port, transport, record, text, n, result);
  });
}

WEFT_RANK_EXPORT protoent* getprotobyname(const char* name) {
  return weft::shim::protocol.find([=](protoent* record, char* text, size_t n, protoent** result) {
    return getprotobyname_r(name, record, text, n, result);
  });
}
