#include "runtime/image/share_list.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>

namespace weft::image {
namespace {

// The C library and libraries tied to its threads or registered with it; sanitizers; the runtime; and, by policy,
// libraries that own threads or devices.
constexpr std::array kShared = {
    "libc",         "libm",         "libmvec",    "ld-linux*", "libpthread",  "libdl",      "librt",
    "libresolv",    "libutil",      "libanl",     "libnss_*",  "libgomp",     "libomp*",    "libiomp5",
    "libgcc_s",     "libquadmath",  "libasan",    "libubsan",  "libtsan",     "liblsan",    "libmpi_abi",
    "libblas*",     "libopenblas*", "libmkl_*",   "libtbb*",   "libcuda*",    "libcublas*", "libcufft*",
    "libcusparse*", "libcusolver*", "libcurand*", "libnccl*",  "libnvidia-*", "libamdhip*", "libhsa-*",
    "libOpenCL",    "libfabric",    "libibverbs", "librdmacm", "libhwloc",    "libnuma",    "libclang_rt.*",
};

}  // namespace

bool is_shared(std::string_view soname, std::span<const std::string> more) {
  const std::string stem(soname.substr(0, soname.find(".so")));
  const auto matches = [&stem](const auto& pattern) {
    return fnmatch(std::string(pattern).c_str(), stem.c_str(), 0) == 0;
  };
  return std::ranges::any_of(kShared, matches) || std::ranges::any_of(more, matches);
}

}  // namespace weft::image
