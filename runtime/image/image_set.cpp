#include "runtime/image/image_set.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "runtime/image/library_search.hpp"
#include "runtime/image/load_error.hpp"
#include "runtime/image/share_list.hpp"

namespace weft::image {
namespace {

void open_shared(const std::string& name, const std::string& from, const std::string& path) {
  // By name first: the process may have loaded it already, from another place.
  if (dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr ||
      (!path.empty() && dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) ||
      dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
    return;
  }
  throw LoadError("cannot load shared library " + name + ", which " + from + " needs: " + dlerror());
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether a DT_NEEDED entry of this name refers to the file. A file without a soname is known by its file name.
bool is_called(const ElfFile& elf, std::string_view name) {
  return elf.soname.empty() ? file_name(elf.path()) == file_name(name) : elf.soname == name;
}

std::optional<std::uint32_t> find_called(std::span<const Image> images, const std::string& name) {
  const auto found = std::ranges::find_if(images, [&name](const Image& image) { return is_called(image.elf, name); });
  return found == images.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - images.begin()));
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
    // Uses the index and a copy, since adding moves the images.
    const std::vector<std::string> needed = images_[index].elf.needed;
    for (const std::string& name : needed) {
      if (!known_.insert(name).second) {
        continue;
      }
      const std::string from = images_[index].elf.path();
      const std::string path = search_.find(name, origin_file(index), images_[index].elf.run_paths);
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

  // Adds the files that match a pattern. A name without '/' is searched for like a needed library.
  void add_plugins(const std::string& pattern) {
    if (pattern.find('/') == std::string::npos) {
      const std::string path = search_.find(pattern, "", {});
      if (path.empty()) {
        throw LoadError("cannot find plugin " + pattern + "; give its path");
      }
      add(path);
      return;
    }
    glob_t found{};
    const std::unique_ptr<glob_t, decltype(&globfree)> frees(&found, &globfree);
    if (glob(pattern.c_str(), 0, nullptr, &found) != 0) {
      throw LoadError("cannot find plugin " + pattern + ": no file has this name or fits this pattern");
    }
    std::for_each(found.gl_pathv, found.gl_pathv + found.gl_pathc, [this](const char* path) { add(path); });
  }

  // Adds the libraries that images from `first` on need, including newly added ones.
  void add_all_needed(std::size_t first) {
    for (std::size_t i = first; i < images_.size(); ++i) {
      add_needed_by(i);
    }
  }

  std::vector<Image>& images() { return images_; }

 private:
  // The file in whose folder $ORIGIN is. Only links to the program are followed, as by the dynamic linker.
  std::string origin_file(std::size_t index) const {
    const std::string& path = images_[index].elf.path();
    std::error_code error;
    return index == 0 ? std::filesystem::canonical(path, error).string() : path;
  }

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
      if (const auto found = find_called(images_, name)) {
        visit(*found);
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
                                  std::span<const std::string> shared, std::span<const std::string> plugins,
                                  const std::string& library_path) {
  Collector collector(shared, library_path);
  collector.add(path);
  if (!shim_path.empty()) {
    collector.add(shim_path);
  }
  collector.add_all_needed(0);
  const std::size_t first_plugin = collector.images().size();
  std::ranges::for_each(plugins, [&](const std::string& pattern) { collector.add_plugins(pattern); });
  collector.add_all_needed(first_plugin);
  std::vector<Image> images = std::move(collector.images());
  for (std::size_t i = first_plugin; i < images.size(); ++i) {
    images[i].local_scope = with_needed(images, static_cast<std::uint32_t>(i));
  }
  return images;
}

std::vector<std::uint32_t> with_needed(std::span<const Image> images, std::uint32_t index) {
  std::vector<std::uint32_t> found{index};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const std::string& name : images[found[next]].elf.needed) {
      const auto image = find_called(images, name);
      if (image && std::ranges::find(found, *image) == found.end()) {
        found.push_back(*image);
      }
    }
  }
  return found;
}

const Image* find_opened(std::span<const Image> images, const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos;
  const auto means = [&](const Image& image) {
    std::error_code absent;
    return is_path ? std::filesystem::equivalent(name, image.elf.path(), absent) : is_called(image.elf, name);
  };
  const auto found = std::ranges::find_if(images, means);
  return found == images.end() ? nullptr : &*found;
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
