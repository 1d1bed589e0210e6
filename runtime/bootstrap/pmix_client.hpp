// The functions of libpmix that Weft calls, opened at run time: no program depends on the library.
#pragma once

#include <pmix.h>

#include <string>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

struct PmixLibrary {
  PmixLibrary();  // throws std::runtime_error

  decltype(&::PMIx_Init) init;
  decltype(&::PMIx_Finalize) finalize;
  decltype(&::PMIx_Put) put;
  decltype(&::PMIx_Commit) commit;
  decltype(&::PMIx_Fence) fence;
  decltype(&::PMIx_Get) get;
  decltype(&::PMIx_Abort) abort;
  decltype(&::PMIx_Error_string) error_string;
};

// The library starts threads of its own.
class PmixClient final : public Bootstrap {
 public:
  PmixClient();  // throws std::runtime_error

  ProcessId process() const override { return ProcessId{self_.rank}; }
  std::uint32_t processes() const override { return size_; }
  void put(std::string_view key, std::string_view value) override;
  void fence() override;
  std::string get(ProcessId of, std::string_view key) override;
  void finish() override;
  void abort(int code) override;

 private:
  void require(pmix_status_t status, const char* what) const;

  PmixLibrary library_;
  pmix_proc_t self_{};
  std::uint32_t size_ = 1;
};

}  // namespace weft::bootstrap
