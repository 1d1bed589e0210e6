#include "mpi_shim/datatype/signature.hpp"

#include <algorithm>

namespace weft::mpi_shim {
inline namespace datatype {

namespace {
constexpr std::size_t kInlineRuns = 16;  // shorter signatures are copied rather than nested when they stand once
}

void Signature::Run::pup(pup::Puper& p) { p | count | bytes | elements | inner; }

std::optional<std::size_t> Signature::elements_in(std::size_t bytes) const {
  if (bytes_ == 0) {
    return bytes == 0 ? std::optional<std::size_t>(0) : std::nullopt;
  }
  std::size_t elements = bytes / bytes_ * elements_;
  std::size_t rest = bytes % bytes_;
  for (const Run& run : runs_) {
    if (rest == 0) {
      break;
    }
    const std::size_t whole = std::min(run.count, rest / run.bytes);
    elements += whole * run.elements;
    rest -= whole * run.bytes;
    if (whole < run.count) {
      if (rest == 0) {
        break;
      }
      const auto inside = run.inner ? run.inner->elements_in(rest) : std::nullopt;
      return inside ? std::optional(elements + *inside) : std::nullopt;
    }
  }
  return elements;
}

std::size_t Signature::bytes_of(std::size_t elements) const {
  if (elements_ == 0) {
    return 0;
  }
  std::size_t bytes = elements / elements_ * bytes_;
  std::size_t rest = elements % elements_;
  for (const Run& run : runs_) {
    const std::size_t whole = std::min(run.count, rest / run.elements);
    bytes += whole * run.bytes;
    rest -= whole * run.elements;
    if (rest == 0) {
      break;
    }
    if (whole < run.count) {
      return bytes + run.inner->bytes_of(rest);
    }
  }
  return bytes;
}

void SignatureBuilder::add_basic(std::size_t bytes, std::size_t count) {
  if (count > 0 && bytes > 0) {
    append({.count = count, .bytes = bytes});
  }
}

void SignatureBuilder::add(const std::shared_ptr<const Signature>& signature, std::size_t count) {
  if (count == 0 || signature->bytes_ == 0) {
    return;
  }
  if (signature->runs_.size() == 1) {
    Signature::Run run = signature->runs_.front();
    run.count *= count;
    append(std::move(run));
  } else if (count == 1 && signature->runs_.size() <= kInlineRuns) {
    for (const Signature::Run& run : signature->runs_) {
      append(run);
    }
  } else {
    append({.count = count, .bytes = signature->bytes_, .elements = signature->elements_, .inner = signature});
  }
}

void SignatureBuilder::append(Signature::Run run) {
  signature_->bytes_ += run.count * run.bytes;
  signature_->elements_ += run.count * run.elements;
  if (!signature_->runs_.empty()) {
    Signature::Run& last = signature_->runs_.back();
    if (last.bytes == run.bytes && last.elements == run.elements && last.inner == run.inner) {
      last.count += run.count;
      return;
    }
  }
  signature_->runs_.push_back(std::move(run));
}

}  // namespace datatype
}  // namespace weft::mpi_shim
