// MPI_Grequest_start and MPI_Grequest_complete: requests whose operation the program itself carries out.
#include <utility>

#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"

using namespace weft::mpi_shim;

namespace {

class GeneralizedRequest final : public Operation {
 public:
  GeneralizedRequest() = default;
  GeneralizedRequest(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                     MPI_Grequest_cancel_function* cancel_fn, void* extra_state)
      : query_(query_fn), free_(free_fn), cancel_(cancel_fn), extra_state_(extra_state) {}
  ~GeneralizedRequest() override { call_free(); }
  Kind kind() const override { return Kind::generalized; }
  void pup(weft::pup::Puper& p, weft::runtime::Rank& /*owner*/) override {
    p | complete;
    weft::pup::same_address(p, query_);
    weft::pup::same_address(p, free_);
    weft::pup::same_address(p, cancel_);
    weft::pup::same_address(p, extra_state_);
    if (p.packing()) {
      free_ = nullptr;
    }
  }
  bool advance(RankState&) override { return complete; }
  void add_awaited(std::vector<weft::runtime::Request*>&) override {}  // nothing to wait for: the program completes it
  int finish(RankState& me, MPI_Status& status) override {
    return query_ == nullptr ? MPI_SUCCESS : call_program(me, [&] { return query_(extra_state_, &status); });
  }
  int free(RankState& me) override {
    return call_program(me, [&] { return call_free(); });
  }
  int cancel(RankState& me, bool finished) override {
    return cancel_ == nullptr ? MPI_SUCCESS : call_program(me, [&] { return cancel_(extra_state_, finished ? 1 : 0); });
  }

  bool complete = false;

 private:
  // Calls the program's free function once, however the request ends.
  int call_free() {
    MPI_Grequest_free_function* const function = std::exchange(free_, nullptr);
    return function == nullptr ? MPI_SUCCESS : function(extra_state_);
  }

  MPI_Grequest_query_function* query_ = nullptr;
  MPI_Grequest_free_function* free_ = nullptr;
  MPI_Grequest_cancel_function* cancel_ = nullptr;
  void* extra_state_ = nullptr;
};

int grequest_start(const Entry& entry, MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  *request = add_operation(entry.me, MPI_COMM_NULL,
                           std::make_unique<GeneralizedRequest>(query_fn, free_fn, cancel_fn, extra_state));
  return MPI_SUCCESS;
}

int grequest_complete(const Entry& entry, MPI_Request request) {
  PendingRequest* const pending = entry.me.requests.find(request);
  auto* const generalized = pending == nullptr ? nullptr : dynamic_cast<GeneralizedRequest*>(pending->operation.get());
  if (generalized == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is not a generalized one of this rank");
  }
  generalized->complete = true;
  advance_operations(entry.me);
  entry.me.pending_exception.rethrow();  // of the free function, if MPI_Request_free was called before
  return MPI_SUCCESS;
}

}  // namespace

std::unique_ptr<Operation> weft::mpi_shim::make_generalized() { return std::make_unique<GeneralizedRequest>(); }

#include "mpi_shim/generated/request/generalized_request.inc"
