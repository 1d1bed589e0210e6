// Identifies files and checks whether a rank will find them again by their paths where it goes.
#pragma once

#include <limits.h>
#include <sys/stat.h>

namespace weft::shim {

constexpr int kPath = PATH_MAX + 16;  // the system may add " (deleted)"

// Reads the status of a path, or of the open file if `path` is empty. False, with errno.
bool read_status(int descriptor, const char* path, struct statx& status);
// The present path of the open file; false if the system does not tell.
bool find_path(int descriptor, char (&path)[kPath]);
// Removes the " (deleted)" that the system appends to the path of a removed file.
void strip_deleted_suffix(char* path);
// Compares the time of creation too, since inode numbers are reused.
bool are_same(const struct statx& a, const struct statx& b);
bool are_on_same_device(const struct statx& a, const struct statx& b);
// True if the path leads to another file. That must not be opened: opening it may have effects, or block.
bool names_other_file(const struct statx& file, const char* path);
// True if mappings of the file use huge pages.
bool has_huge_pages(const struct statx& file, const char* path);
// Formats a message about a file. Valid until the next call.
[[gnu::format(printf, 1, 2)]] const char* file_text(const char* format, ...);
// Why a rank could not open this file elsewhere by its path for this access (R_OK, W_OK); or null.
const char* why_not_found(const struct statx& file, const char* path, int access, bool several_hosts);

}  // namespace weft::shim
