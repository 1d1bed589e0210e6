#include "output/pictures.hpp"
namespace ondes3d {
std::vector<std::string> write_pictures(const std::string&, const Case&, const Results&) { return {}; }
}
