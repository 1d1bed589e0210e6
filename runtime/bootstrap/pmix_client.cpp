#include "runtime/bootstrap/pmix_client.hpp"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::bootstrap {
namespace {

pmix_key_t& fill_key(pmix_key_t& to, std::string_view key) {
  if (key.size() > PMIX_MAX_KEYLEN) {
    throw std::runtime_error(fmt::format("PMIx: a key of {} bytes is too long", key.size()));
  }
  std::memset(to, 0, sizeof to);
  std::memcpy(to, key.data(), key.size());
  return to;
}

pmix_info_t setting(const char* name, bool value) {
  pmix_info_t info{};
  fill_key(info.key, name);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = value;
  return info;
}

}  // namespace

PmixLibrary::PmixLibrary() {
  void* const library = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(fmt::format("PMIx: {}; install libpmix2 or start weftrun by PMI-1", ::dlerror()));
  }
  const auto find = [library](auto& function, const char* name) {
    void* const address = ::dlsym(library, name);
    if (address == nullptr) {
      throw std::runtime_error(fmt::format("PMIx: libpmix.so.2 has no {}", name));
    }
    std::memcpy(&function, &address, sizeof address);
  };
  find(init, "PMIx_Init");
  find(finalize, "PMIx_Finalize");
  find(put, "PMIx_Put");
  find(commit, "PMIx_Commit");
  find(fence, "PMIx_Fence");
  find(get, "PMIx_Get");
  find(abort, "PMIx_Abort");
  find(error_string, "PMIx_Error_string");
}

PmixClient::PmixClient() {
  require(library_.init(&self_, nullptr, 0), "init");
  pmix_proc_t everyone = self_;
  everyone.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* size = nullptr;
  require(library_.get(&everyone, PMIX_JOB_SIZE, nullptr, 0, &size), "the number of processes");
  size_ = size->data.uint32;
  std::free(size);
}

void PmixClient::put(std::string_view key, std::string_view value) {
  pmix_key_t name;
  pmix_value_t bytes{};
  bytes.type = PMIX_BYTE_OBJECT;
  // Prefixed by one character: some libraries reject null pointers and empty values.
  std::string carried = "=" + std::string(value);
  bytes.data.bo = {carried.data(), carried.size()};
  require(library_.put(PMIX_GLOBAL, fill_key(name, key), &bytes), "put");
}

void PmixClient::fence() {
  require(library_.commit(), "commit");
  const pmix_info_t collect = setting(PMIX_COLLECT_DATA, true);
  require(library_.fence(nullptr, 0, &collect, 1), "fence");
}

std::string PmixClient::get(ProcessId of, std::string_view key) {
  pmix_proc_t process = self_;
  process.rank = number(of);
  pmix_key_t name;
  pmix_value_t* found = nullptr;
  const pmix_info_t at_once = setting(PMIX_IMMEDIATE, true);
  if (library_.get(&process, fill_key(name, key), &at_once, 1, &found) != PMIX_SUCCESS || found == nullptr ||
      found->type != PMIX_BYTE_OBJECT || found->data.bo.size == 0) {
    throw std::runtime_error(fmt::format("process {} has published no '{}'", number(of), key));
  }
  std::string value(found->data.bo.bytes + 1, found->data.bo.size - 1);
  std::free(found->data.bo.bytes);
  std::free(found);
  return value;
}

void PmixClient::finish() { require(library_.finalize(nullptr, 0), "finalize"); }

void PmixClient::abort(int code) { library_.abort(code, "weftrun: abort", nullptr, 0); }

void PmixClient::require(pmix_status_t status, const char* what) const {
  if (status != PMIX_SUCCESS) {
    throw std::runtime_error(fmt::format("PMIx: {}: {}", what, library_.error_string(status)));
  }
}

}  // namespace weft::bootstrap
