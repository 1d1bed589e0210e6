// Where jobs of one user on one host keep what they must know of each other.
#pragma once

#include <string>

namespace weft::base {

// $XDG_RUNTIME_DIR/weft, or /tmp/weft-<user> where that is not set: a folder that this user alone may open, made where
// it is not there. Empty where there can be none: nobody could write there, or somebody else has made it.
std::string user_folder();

}  // namespace weft::base
