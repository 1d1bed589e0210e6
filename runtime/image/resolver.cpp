#include "runtime/image/resolver.hpp"

#include <dlfcn.h>

namespace weft::image {

Definition Resolver::find_in_host(const std::string& name, std::string_view version) const {
  Definition definition;
  void* address = replacement_(name);
  if (address == nullptr && !version.empty()) {
    address = dlvsym(RTLD_DEFAULT, name.c_str(), std::string(version).c_str());
  }
  if (address == nullptr) {
    address = dlsym(RTLD_DEFAULT, name.c_str());
  }
  if (address != nullptr) {
    definition.kind = Definition::Kind::in_host;
    definition.address = reinterpret_cast<std::uint64_t>(address);
  }
  return definition;
}

Definition Resolver::find_in_images(const Image& from, std::string_view name, std::string_view version) const {
  for (const Image& image : images_) {
    const Elf64_Sym* const definition = image.local_scope.empty() ? image.elf.symbols.find(name, version) : nullptr;
    if (definition != nullptr) {
      return {Definition::Kind::in_image, &image, definition, 0};
    }
  }
  for (const std::uint32_t index : from.local_scope) {
    if (const Elf64_Sym* const definition = images_[index].elf.symbols.find(name, version)) {
      return {Definition::Kind::in_image, &images_[index], definition, 0};
    }
  }
  return {};
}

Definition Resolver::find(const Image& from, std::uint32_t index) const {
  const SymbolTable& symbols = from.elf.symbols;
  const Elf64_Sym& symbol = symbols.at(index);
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  const bool defined_here = symbol.st_shndx != SHN_UNDEF;
  if (binding == STB_LOCAL || (defined_here && ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT)) {
    return {Definition::Kind::in_image, &from, &symbol, 0};
  }
  const std::string name(symbols.name(index));
  const std::string_view version = symbols.version(index);
  if (const auto found = overrides_.find(name); found != overrides_.end()) {
    return {Definition::Kind::in_host, nullptr, nullptr, reinterpret_cast<std::uint64_t>(found->second)};
  }
  if (from.elf.symbolic && defined_here) {
    return {Definition::Kind::in_image, &from, &symbol, 0};
  }
  if (const Definition found = find_in_images(from, name, version); found.kind != Definition::Kind::undefined) {
    return found;
  }
  Definition host;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS) {
    host = find_in_host(name, version);
  }
  if (host.kind == Definition::Kind::undefined && binding == STB_WEAK) {
    host.kind = Definition::Kind::in_host;
  }
  return host;
}

}  // namespace weft::image
