// The folder by which jobs of one user on one host find each other.
#pragma once

#include <string>
#include <vector>

namespace weft::base {

// $XDG_RUNTIME_DIR/weft, or /tmp/weft-<user> where that variable is not set. Creates the folder if it does not exist;
// only this user may open it. Empty if it cannot be created, or if it exists and others may open it.
std::string user_folder();

// The folders that user_folder() returns with this or another environment, if they exist and only this user may open
// them; that of $XDG_RUNTIME_DIR first. Creates none.
std::vector<std::string> existing_user_folders();

}  // namespace weft::base
