#include "launch/code_owner.hpp"

#include <dlfcn.h>

namespace weft::launch {
namespace {

std::string_view file_name(const char* path) {
  const std::string_view text(path);
  return text.substr(text.rfind('/') + 1);
}

}  // namespace

bool is_rank_library(const char* path) {
  const std::string_view name = file_name(path);
  return name.starts_with("libweft_") || name.starts_with("libmpifort_abi.");
}

CodeOwner code_owner(const CodeLocation& location, std::uintptr_t address) {
  if (location.file != nullptr) {
    return is_rank_library(location.file) ? CodeOwner::rank_library : CodeOwner::program;
  }
  Dl_info host = {};
  if (::dladdr(reinterpret_cast<const void*>(address), &host) == 0 || host.dli_fname == nullptr) {
    return CodeOwner::system;
  }
  const std::string_view name = file_name(host.dli_fname);
  const bool is_runtime = name.starts_with("libmpi_abi.") || name.starts_with("libboost_context.") || name == "weftrun";
  return is_runtime ? CodeOwner::runtime : CodeOwner::system;
}

bool is_internal_name(std::string_view name) { return name.starts_with("weft::") || name.starts_with("lib"); }

}  // namespace weft::launch
