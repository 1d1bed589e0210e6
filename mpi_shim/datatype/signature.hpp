// The sequence of basic types in a datatype, which MPI_Get_elements counts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// Immutable.
class Signature {
 public:
  std::size_t bytes() const { return bytes_; }
  std::size_t elements() const { return elements_; }  // basic elements in one datatype
  // The basic elements in the first `bytes` bytes of any number of datatypes; nullopt if the last one is cut.
  std::optional<std::size_t> elements_in(std::size_t bytes) const;
  // The bytes of the first `elements` basic elements.
  std::size_t bytes_of(std::size_t elements) const;

  void pup(pup::Puper& p) { p | runs_ | bytes_ | elements_; }

 private:
  friend class SignatureBuilder;
  struct Run {
    std::size_t count = 0;
    std::size_t bytes = 0;                             // of one repetition
    std::size_t elements = 1;                          // in one repetition
    std::shared_ptr<const Signature> inner = nullptr;  // null: repetitions of one basic type
    void pup(pup::Puper& p);
  };
  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
  std::size_t elements_ = 0;
};

class SignatureBuilder {
 public:
  SignatureBuilder() : signature_(std::make_shared<Signature>()) {}
  void add_basic(std::size_t bytes, std::size_t count);
  void add(const std::shared_ptr<const Signature>& signature, std::size_t count);
  std::shared_ptr<const Signature> build() { return std::move(signature_); }

 private:
  void append(Signature::Run run);
  std::shared_ptr<Signature> signature_;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
