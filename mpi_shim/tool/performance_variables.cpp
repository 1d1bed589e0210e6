#include "mpi_shim/tool/performance_variables.hpp"

#include <array>

#include "mpi_shim/ampi/migration.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim {
inline namespace tool {
namespace {

template <typename T>
double number_of(T value) {
  return static_cast<double>(value);
}

double worker(RankState& me) { return me.rank->job.global_number(*runtime::Worker::current()); }

double seconds(RankState& me) {
  runtime::Worker::current()->update_load();
  return number_of(me.rank->load.cycles.load(std::memory_order_relaxed)) / runtime::ticks_per_second();
}

constexpr std::array kVariables{
    PerformanceVariable{.name = "weft_posted_receives",
                        .description = "Receives that no message has met yet.",
                        .now = [](RankState& me) { return number_of(me.rank->mailbox.posted()); }},
    PerformanceVariable{.name = "weft_unexpected_messages",
                        .description = "Messages that have come and that no receive has asked for yet.",
                        .now = [](RankState& me) { return number_of(me.rank->mailbox.unexpected()); }},
    PerformanceVariable{.name = "weft_requests",
                        .description = "Requests that the rank holds.",
                        .now = [](RankState& me) { return number_of(me.requests.live()); }},
    PerformanceVariable{.name = "weft_messages_sent",
                        .description = "Messages that the rank has sent, those of collectives too.",
                        .of_class = MPI_T_PVAR_CLASS_COUNTER,
                        .now = [](RankState& me) { return number_of(me.rank->traffic->total.messages); }},
    PerformanceVariable{.name = "weft_bytes_sent",
                        .description = "Bytes of the messages that the rank has sent.",
                        .of_class = MPI_T_PVAR_CLASS_AGGREGATE,
                        .now = [](RankState& me) { return number_of(me.rank->traffic->total.bytes); }},
    PerformanceVariable{.name = "weft_switches",
                        .description = "How often the rank has let another one run.",
                        .of_class = MPI_T_PVAR_CLASS_COUNTER,
                        .category = Category::work,
                        .now = [](RankState& me) { return number_of(me.rank->load.switches.load()); }},
    PerformanceVariable{.name = "weft_load",
                        .description = "Seconds that the rank has run.",
                        .of_class = MPI_T_PVAR_CLASS_TIMER,
                        .category = Category::work,
                        .now = &seconds},
    PerformanceVariable{.name = "weft_worker",
                        .description = "The worker that runs the rank, counted through the job.",
                        .category = Category::balancing,
                        .now = &worker},
    PerformanceVariable{.name = "weft_moves",
                        .description = "How often the rank has moved to another worker in a balancing step.",
                        .of_class = MPI_T_PVAR_CLASS_COUNTER,
                        .category = Category::balancing,
                        .now = [](RankState& me) { return number_of(me.part<Migration>().moves); }},
    PerformanceVariable{.name = "weft_balancing_steps",
                        .description = "Balancing steps that the rank has taken part in.",
                        .of_class = MPI_T_PVAR_CLASS_COUNTER,
                        .category = Category::balancing,
                        .now = [](RankState& me) { return number_of(me.rank->steps); }},
};

}  // namespace

std::span<const PerformanceVariable> performance_variables() { return kVariables; }
std::size_t performance_variable_count() { return kVariables.size(); }
std::size_t category_of_performance_variable(std::size_t index) {
  return static_cast<std::size_t>(kVariables[index].category);
}

}  // namespace tool
}  // namespace weft::mpi_shim
