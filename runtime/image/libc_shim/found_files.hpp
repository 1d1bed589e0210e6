// Which file a path leads to, and from where: what a rank must find again where it goes.
#pragma once

#include <limits.h>
#include <sys/stat.h>

namespace weft::shim {

constexpr int kPath = PATH_MAX + 16;  // the system may add " (deleted)"

// Of the open file where `path` is empty. False: errno says why not.
bool look(int descriptor, const char* path, struct statx& status);
// The path that the open file has now; false if the system does not say.
bool find_path(int descriptor, char (&path)[kPath]);
// Takes off what the system adds to the path that a file had.
void take_deleted_off(char* path);
// An inode's number is used again, so the time of its birth counts too.
bool are_same(const struct statx& a, const struct statx& b);
bool are_on_same_device(const struct statx& a, const struct statx& b);
// There is another file: to open it may have effects, and take for ever.
bool leads_elsewhere(const struct statx& file, const char* path);
// Mappings of it have other pages than memory.
bool has_huge_pages(const struct statx& file, const char* path);
// What is to be said of a file. Valid until the next call.
[[gnu::format(printf, 1, 2)]] const char* file_text(const char* format, ...);
// Why a rank would not find this file by the path elsewhere, to open it for this access (R_OK, W_OK); or null.
const char* why_not_found(const struct statx& file, const char* path, int access, bool several_hosts);

}  // namespace weft::shim
