#include "mpi_shim/info/info.hpp"

#include <algorithm>
#include <cstring>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace info {

const std::string* Info::find(std::string_view key) const {
  const auto place = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  return place == pairs.end() ? nullptr : &place->second;
}

void Info::set(std::string_view key, std::string_view value) {
  for (auto& [known, old] : pairs) {
    if (known == key) {
      old = value;
      return;
    }
  }
  pairs.emplace_back(key, value);
}

void Info::merge(const Info* asked) {
  if (asked != nullptr) {
    for (const auto& [key, value] : asked->pairs) {
      set(key, value);
    }
  }
}

void Infos::pup(pup::Puper& p, RankState& /*me*/) { p | table; }

void Infos::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, table, creations, "info object never freed");
}

const Info* find_info(RankState& me, MPI_Info info) {
  static const Info environment{{{"thread_level", "MPI_THREAD_MULTIPLE"}}};
  return info == MPI_INFO_ENV ? &environment : me.part<Infos>().table.find(info);
}

MPI_Info new_info(RankState& me, const Info& info) {
  return me.part<Infos>().table.add<MPI_Info>(std::make_unique<Info>(info));
}

}  // namespace info
}  // namespace weft::mpi_shim

namespace {

using namespace weft::mpi_shim;

int bad_info(const Entry& entry, MPI_Info info) {
  if (info == MPI_INFO_NULL) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO, "info is MPI_INFO_NULL");
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO, "info {:#x} is not an info object of this rank", handle_value(info));
}

// MPI_SUCCESS, or the error of a key or value of the wrong length.
int check_text(const Entry& entry, const char* text, std::size_t limit, int error_class, const char* what) {
  if (text == nullptr || *text == '\0') {
    return entry.raise(MPI_COMM_NULL, error_class, "the {} is {}", what, text == nullptr ? "a null pointer" : "empty");
  }
  if (std::strlen(text) >= limit) {
    return entry.raise(MPI_COMM_NULL, error_class, "the {} has {} characters, at most {} are allowed", what,
                       std::strlen(text), limit - 1);
  }
  return MPI_SUCCESS;
}

int check_key(const Entry& entry, const char* key) {
  return check_text(entry, key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY, "key");
}

// Copies at most room - 1 characters and a terminating null.
void copy_out(const std::string& text, char* out, std::size_t room) {
  const std::size_t count = std::min(text.size(), room - 1);
  std::memcpy(out, text.data(), count);
  out[count] = '\0';
}

int info_create(const Entry& entry, MPI_Info* info) {
  *info = new_info(entry.me, {});
  return MPI_SUCCESS;
}

int info_create_env(const Entry& entry, int /*argc*/, char** /*argv*/, MPI_Info* info) {
  *info = new_info(entry.me, *find_info(entry.me, MPI_INFO_ENV));
  return MPI_SUCCESS;
}

int info_dup(const Entry& entry, const Info& info, MPI_Info* newinfo) {
  *newinfo = new_info(entry.me, info);
  return MPI_SUCCESS;
}

int info_free(const Entry& entry, MPI_Info* info) {
  if (entry.me.part<Infos>().table.find(*info) == nullptr) {
    return bad_info(entry, *info);
  }
  entry.me.part<Infos>().table.remove(*info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int info_set(const Entry& entry, MPI_Info info, const char* key, const char* value) {
  Info* const found = entry.me.part<Infos>().table.find(info);
  if (found == nullptr) {
    return bad_info(entry, info);
  }
  if (const int error = check_key(entry, key); error != MPI_SUCCESS) {
    return error;
  }
  if (const int error = check_text(entry, value, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE, "value"); error != MPI_SUCCESS) {
    return error;
  }
  found->set(key, value);
  return MPI_SUCCESS;
}

int info_delete(const Entry& entry, MPI_Info info, const char* key) {
  Info* const found = entry.me.part<Infos>().table.find(info);
  if (found == nullptr) {
    return bad_info(entry, info);
  }
  if (const int error = check_key(entry, key); error != MPI_SUCCESS) {
    return error;
  }
  if (std::erase_if(found->pairs, [&](const auto& pair) { return pair.first == key; }) == 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO_NOKEY, "the info object has no key \"{}\"", key);
  }
  return MPI_SUCCESS;
}

int info_get(const Entry& entry, const Info& info, const char* key, int valuelen, char* value, int* flag) {
  if (const int error = check_key(entry, key); error != MPI_SUCCESS) {
    return error;
  }
  if (valuelen < 0 || value == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "{}",
                       value == nullptr ? "value is a null pointer" : "valuelen is negative");
  }
  const std::string* const text = info.find(key);
  *flag = static_cast<int>(text != nullptr);
  if (text != nullptr) {
    copy_out(*text, value, static_cast<std::size_t>(valuelen) + 1);
  }
  return MPI_SUCCESS;
}

int info_get_string(const Entry& entry, const Info& info, const char* key, int* buflen, char* value, int* flag) {
  if (const int error = check_key(entry, key); error != MPI_SUCCESS) {
    return error;
  }
  const std::string* const text = info.find(key);
  *flag = static_cast<int>(text != nullptr);
  if (text != nullptr) {
    if (*buflen > 0) {
      copy_out(*text, value, static_cast<std::size_t>(*buflen));
    }
    *buflen = static_cast<int>(text->size()) + 1;
  }
  return MPI_SUCCESS;
}

int info_get_valuelen(const Entry& entry, const Info& info, const char* key, int* valuelen, int* flag) {
  if (const int error = check_key(entry, key); error != MPI_SUCCESS) {
    return error;
  }
  const std::string* const text = info.find(key);
  *flag = static_cast<int>(text != nullptr);
  if (text != nullptr) {
    *valuelen = static_cast<int>(text->size());
  }
  return MPI_SUCCESS;
}

int info_get_nkeys(const Entry&, const Info& info, int* nkeys) {
  *nkeys = static_cast<int>(info.pairs.size());
  return MPI_SUCCESS;
}

int info_get_nthkey(const Entry& entry, const Info& info, int n, char* key) {
  if (n < 0 || n >= static_cast<int>(info.pairs.size())) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "n is {}, the info object has {} keys", n, info.pairs.size());
  }
  copy_out(info.pairs[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/info/info.inc"
