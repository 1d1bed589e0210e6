#include "runtime/image/huge_pages.hpp"

#include <fstream>
#include <string>

namespace weft::image {

bool huge_pages_are_automatic() {
  static const bool automatic = [] {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string line;
    std::getline(file, line);
    return line.find("[always]") != std::string::npos;
  }();
  return automatic;
}

}  // namespace weft::image
