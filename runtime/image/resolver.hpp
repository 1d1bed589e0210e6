// Binds a symbol reference of one image to its definition.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "runtime/image/layout.hpp"

namespace weft::image {

struct Definition {
  enum class Kind { undefined, in_image, in_host };
  Kind kind = Kind::undefined;
  const Image* image = nullptr;       // in_image
  const Elf64_Sym* symbol = nullptr;  // in_image
  std::uint64_t address = 0;          // in_host; 0 for a weak reference that nothing defines
};

// A local, hidden or protected symbol binds to its own image. Search order for all others: overrides; the image itself
// if it is linked with -Bsymbolic; program; shim; private libraries breadth first; for a plugin, itself and what it
// needs; the process's shared libraries; 0 if weak.
class Resolver {
 public:
  // The host's function that ranks get instead of the function of this name in a shared library; null for most names.
  using Replacement = void* (*)(const std::string& name);

  // Borrows images and overrides. `overrides` are found by name alone, whatever version a reference asks for.
  Resolver(std::span<const Image> images, const std::map<std::string, void*, std::less<>>& overrides,
           Replacement replacement)
      : images_(images), overrides_(overrides), replacement_(replacement) {}

  // The definition to which symbol `index` of `from` binds; undefined if there is none and the symbol is not weak. A
  // thread-local symbol is never searched for in shared libraries.
  Definition find(const Image& from, std::uint32_t index) const;

 private:
  Definition find_in_images(const Image& from, std::string_view name, std::string_view version) const;
  Definition find_in_host(const std::string& name, std::string_view version) const;

  std::span<const Image> images_;
  const std::map<std::string, void*, std::less<>>& overrides_;
  const Replacement replacement_;
};

}  // namespace weft::image
