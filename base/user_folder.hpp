// Where jobs of one user on one host keep what they must know of each other.
#pragma once

#include <string>
#include <vector>

namespace weft::base {

// $XDG_RUNTIME_DIR/weft, or /tmp/weft-<user> where that is not set: a folder that this user alone may open, made where
// it is not there. Empty where there can be none: nobody could write there, or somebody else has made it.
std::string user_folder();

// All that user_folder() may be, here or with other variables, as far as they are there and this user's alone: that of
// $XDG_RUNTIME_DIR first. Makes none.
std::vector<std::string> existing_user_folders();

}  // namespace weft::base
