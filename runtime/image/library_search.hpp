// Finds the file of a needed library where the dynamic linker would look for it. Unlike there a DT_RUNPATH comes before
// LD_LIBRARY_PATH, as a DT_RPATH does, and run paths of the files that led to this one are not searched.
#pragma once

#include <string>
#include <string_view>

namespace weft::image {

class LibrarySearch {
 public:
  // library_path: directories separated by ':' (LD_LIBRARY_PATH). cache: an ld.so.cache file; absent is fine.
  explicit LibrarySearch(std::string library_path, const std::string& cache = "/etc/ld.so.cache");

  // The path of library `name`, which the file at `from` needs; run_path is that file's own. $ORIGIN there is the
  // folder of `from`, whose links are not followed. Search order: the name itself if it has a '/', run path, library
  // path, cache, default directories. Empty if there is none.
  std::string find(const std::string& name, const std::string& from, std::string_view run_path) const;

 private:
  std::string find_in_cache(std::string_view name) const;

  std::string library_path_;
  std::string cache_;
};

}  // namespace weft::image
