#include "runtime/image/image_set.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <set>

#include "runtime/image/library_search.hpp"
#include "runtime/image/load_error.hpp"
#include "runtime/image/share_list.hpp"

namespace weft::image {
namespace {

void open_shared(const std::string& name, const std::string& from, const std::string& path) {
  // By name first: it may be in the process already, from a place of its own.
  if (dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr ||
      (!path.empty() && dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) ||
      dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
    return;
  }
  throw LoadError("cannot load shared library " + name + ", which " + from + " needs: " + dlerror());
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether a DT_NEEDED entry of this name means the file. One without a soname goes by its file's name.
bool is_called(const ElfFile& elf, std::string_view name) {
  return elf.soname.empty() ? file_name(elf.path()) == file_name(name) : elf.soname == name;
}

class Collector {
 public:
  Collector(std::span<const std::string> shared, const std::string& library_path)
      : shared_(shared), search_(library_path) {}

  void add(const std::string& path) {
    ElfFile elf = ElfFile::read(path);
    const auto same = [&elf](const Image& image) { return image.elf.file->same_file(*elf.file); };
    if (std::ranges::none_of(images_, same)) {
      known_.insert(elf.soname);
      images_.emplace_back().elf = std::move(elf);
    }
  }

  void add_needed_by(std::size_t index) {
    // By index and by copy: adding moves the images.
    const std::vector<std::string> needed = images_[index].elf.needed;
    for (const std::string& name : needed) {
      if (!known_.insert(name).second) {
        continue;
      }
      const std::string from = images_[index].elf.path();
      const std::string path = search_.find(name, from, images_[index].elf.run_path);
      if (is_shared(file_name(name), shared_)) {
        open_shared(name, from, path);
      } else if (path.empty()) {
        throw LoadError(std::string("cannot find library ").append(name).append(", which ").append(from) +
                        " needs; set LD_LIBRARY_PATH or a run path");
      } else {
        add(path);
      }
    }
  }

  std::vector<Image>& images() { return images_; }

 private:
  std::span<const std::string> shared_;
  LibrarySearch search_;
  std::vector<Image> images_;
  std::set<std::string> known_;
};

class Sorter {
 public:
  explicit Sorter(std::span<const Image> images) : images_(images), seen_(images.size()) {}

  void visit(std::uint32_t index) {
    if (seen_[index]) {
      return;
    }
    seen_[index] = true;
    for (const std::string& name : images_[index].elf.needed) {
      const auto named = [&name](const Image& i) { return is_called(i.elf, name); };
      const auto found = std::ranges::find_if(images_, named);
      if (found != images_.end()) {
        visit(static_cast<std::uint32_t>(found - images_.begin()));
      }
    }
    order_.push_back(index);
  }

  std::vector<std::uint32_t> order() const { return order_; }

 private:
  std::span<const Image> images_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::vector<Image> collect_images(const std::string& path, const std::string& shim_path,
                                  std::span<const std::string> shared, const std::string& library_path) {
  Collector collector(shared, library_path);
  collector.add(path);
  if (!shim_path.empty()) {
    collector.add(shim_path);
  }
  for (std::size_t i = 0; i < collector.images().size(); ++i) {
    collector.add_needed_by(i);
  }
  return std::move(collector.images());
}

std::vector<std::uint32_t> dependencies_first(std::span<const Image> images, bool has_shim) {
  Sorter sorter(images);
  if (has_shim) {
    sorter.visit(1);
  }
  for (std::uint32_t i = 0; i < images.size(); ++i) {
    sorter.visit(i);
  }
  return sorter.order();
}

}  // namespace weft::image
