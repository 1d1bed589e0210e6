// Starts ondes3d-pictures, which draws what scene.hpp's file holds. It is a program of its own since it needs Cairo and
// Cairo's libraries, which each rank of Weft would otherwise hold privately.
#pragma once

#include <string>
#include <vector>

#include "output/picture_formats.hpp"

namespace ondes3d {

// Frames of a movie: a multiple of the panels, so that these are the same moments with and without one.
[[nodiscard]] int movie_frames(int panels);

// Draws the folder's file. The program is looked for beside `launched`, which is argv[0], beside /proc/self/exe, and in
// PATH. Returns the names of the files drawn, or one line that says why there are none. Throws std::runtime_error where
// the program fails; it has said why on standard error.
[[nodiscard]] std::vector<std::string> draw_pictures(const std::string& folder, const std::string& launched,
                                                     const PictureKinds& kinds);

}  // namespace ondes3d
