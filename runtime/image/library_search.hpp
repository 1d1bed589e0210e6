// Finds the file of a needed library where the dynamic linker would look for it. Unlike there, a DT_RPATH of the files
// that led to this one is not searched.
#pragma once

#include <string>
#include <string_view>

namespace weft::image {

// Where a file wants the libraries searched that it needs: directories separated by ':'.
struct RunPaths {
  std::string before;  // the library path: DT_RPATH, which counts only where there is no DT_RUNPATH
  std::string after;   // the library path: DT_RUNPATH
};

class LibrarySearch {
 public:
  // library_path: directories separated by ':' (LD_LIBRARY_PATH). cache: an ld.so.cache file; absent is fine.
  explicit LibrarySearch(std::string library_path, const std::string& cache = "/etc/ld.so.cache");

  // The path of library `name`, which the file at `from` needs; run_paths are that file's own. $ORIGIN there is the
  // folder of `from`, whose links are not followed. Search order: the name itself if it has a '/', run paths before the
  // library path, library path, run paths after it, cache, default directories. Empty if there is none.
  std::string find(const std::string& name, const std::string& from, const RunPaths& run_paths) const;

 private:
  std::string find_in_cache(std::string_view name) const;

  std::string library_path_;
  std::string cache_;
};

}  // namespace weft::image
