#include "runtime/image/library_search.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace weft::image {
namespace {

constexpr std::string_view kDefaultDirectories =
    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";

// glibc's cache format 1.1: a head of 48 bytes that starts with the magic and the count, then entries; offsets of
// strings count from the head.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kCacheHead = 48;
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name, path, os_version;
  std::uint64_t hardware;
};
constexpr std::int32_t kFlagMask = 0xff00;
constexpr std::int32_t kFlagX86_64 = 0x0300;

std::string replace_origin(std::string directory, const std::string& from) {
  const std::size_t slash = from.rfind('/');
  const std::string origin = slash == std::string::npos ? "." : from.substr(0, slash);
  for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at; (at = directory.find(token)) != std::string::npos;) {
      directory.replace(at, token.size(), origin);
    }
  }
  return directory;
}

std::string find_in(std::string_view directories, const std::string& name, const std::string& from) {
  while (!directories.empty()) {
    const std::size_t colon = directories.find(':');
    const std::string directory = replace_origin(std::string(directories.substr(0, colon)), from);
    directories = colon == std::string_view::npos ? std::string_view() : directories.substr(colon + 1);
    std::string path = (directory.empty() ? "." : directory) + "/" + name;
    if (access(path.c_str(), R_OK) == 0) {
      return path;
    }
  }
  return {};
}

}  // namespace

LibrarySearch::LibrarySearch(std::string library_path, const std::string& cache)
    : library_path_(std::move(library_path)) {
  std::ifstream file(cache, std::ios::binary);
  cache_.assign(std::istreambuf_iterator<char>(file), {});
  const std::size_t head = cache_.find(kCacheMagic);
  cache_.erase(0, head);  // an older format may precede; npos clears all
}

std::string LibrarySearch::find_in_cache(std::string_view name) const {
  if (cache_.size() < kCacheHead) {
    return {};
  }
  std::uint32_t count = 0;
  std::memcpy(&count, cache_.data() + kCacheMagic.size(), sizeof count);
  for (std::size_t i = 0; i < count && kCacheHead + (i + 1) * sizeof(CacheEntry) <= cache_.size(); ++i) {
    CacheEntry entry;
    std::memcpy(&entry, cache_.data() + kCacheHead + i * sizeof entry, sizeof entry);
    const bool usable = (entry.flags & kFlagMask) == kFlagX86_64 && entry.hardware == 0 && entry.name < cache_.size() &&
                        entry.path < cache_.size();
    if (usable && name == cache_.c_str() + entry.name) {
      return cache_.c_str() + entry.path;
    }
  }
  return {};
}

std::string LibrarySearch::find(const std::string& name, const std::string& from, const RunPaths& run_paths) const {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), R_OK) == 0 ? name : std::string();
  }
  std::string path;
  for (const std::string* directories : {&run_paths.before, &library_path_, &run_paths.after}) {
    path = path.empty() ? find_in(*directories, name, from) : path;
  }
  if (path.empty()) {
    path = find_in_cache(name);
  }
  return path.empty() ? find_in(kDefaultDirectories, name, from) : path;
}

}  // namespace weft::image
