#include "tools/knobs.hpp"

#include <array>

namespace weft::tools {
namespace {

using base::Option;
using Kind = base::OptionKind;

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

constexpr std::array kKnobs = {
    // How many, where
    Option{"ranks", "n np c", "WEFT_RANKS", Kind::kInteger, "", "N", "MPI ranks to start. Without it: ratio × workers.",
           1, kMostRanks},
    Option{"ratio", "", "WEFT_RATIO", Kind::kInteger, "1", "R",
           "Ranks per worker when the number of ranks is not given.", 1, kMostRanks},
    Option{"universe", "", "WEFT_UNIVERSE", Kind::kInteger, "", "U",
           "Ranks that there may be at any one time with those of MPI_Comm_spawn, which MPI_UNIVERSE_SIZE tells. "
           "Without it: 64 more than ranks, where that leaves each 64 GiB of addresses.",
           1, kMostRanks},
    Option{"workers", "", "WEFT_WORKERS", Kind::kInteger, "", "W",
           "Worker threads that run the ranks, in all processes together. Without it: one for each core they may use.",
           1, 4096},
    Option{"processes", "", "WEFT_PROCESSES", Kind::kInteger, "", "P",
           "Processes to start and to spread the workers over. Without it: one on each of --hosts. Under another "
           "launcher (mpirun, srun): as many as that has started.",
           1, 65536},
    Option{
        "hosts", "", "WEFT_HOSTS", Kind::kList, "", "HOST[:P][,HOST]",
        "Where processes start, and how many on each. Other hosts need the same weftrun and program at the same path."},
    Option{"launcher-agent", "", "WEFT_LAUNCHER_AGENT", Kind::kText, "ssh", "COMMAND",
           "Starts a shell's line on another host: called as COMMAND HOST LINE."},
    Option{"bind", "", "WEFT_BIND", Kind::kYesNo, "yes", "yes|no",
           "Bind each worker to a core of its own, where there are enough; cores first that no other job of this user "
           "has."},
    // Balancing
    Option{"lb", "", "WEFT_LB", Kind::kText, "none", "NAME",
           "Strategy that decides at MPI_Migrate where ranks go; 'help' lists them."},
    Option{"lb-period", "", "WEFT_LB_PERIOD", Kind::kInteger, "1", "K", "Balance at every K-th MPI_Migrate only.", 1,
           1'000'000'000},
    Option{"lb-continuous", "", "WEFT_LB_CONTINUOUS", Kind::kFlag, "no", "",
           "Ranks go to workers that have less to do, by what they cost lately, at any MPI call and without "
           "MPI_Migrate. Within one process."},
    Option{
        "lb-when", "", "WEFT_LB_WHEN", Kind::kText, "every", "RULE",
        "Which MPI_Migrate balances: every (K-th of --lb-period), auto (when that pays), migbsp; 'help' lists them."},
    Option{"lb-model", "", "WEFT_LB_MODEL", Kind::kText, "last", "MODEL",
           "How loads are predicted from those of the last intervals: last, mean:F, trend:N; 'help' lists them."},
    Option{"lb-links", "", "WEFT_LB_LINKS", Kind::kText, "measured", "LINKS",
           "What strategies that look at messages take these to cost: measured (once, in the first step), usual, or "
           "five pairs of microseconds a message and nanoseconds a byte, for two ranks of a worker, a NUMA node, a "
           "process, a host, of two hosts: 0.08:0.01,0.15:0.02,0.3:0.04,1:0.2,20:1 (these are the usual)."},
    Option{"load-clock", "", "WEFT_LOAD_CLOCK", Kind::kText, "auto", "CLOCK",
           "What ranks' loads are measured by: tsc (the time stamp counter), papi (cycles as PAPI counts them), "
           "papi:EVENT (another event of PAPI's), auto (papi where the machine has cheap counters, else tsc)."},
    Option{"lb-summary", "", "WEFT_LB_SUMMARY", Kind::kChoice, "line", "WHAT",
           "What standard error hears of balancing at the end: none, a line, or a table of all steps. A SIGUSR2 to "
           "process 0 prints the table at its next step.",
           0, 0, "none line table"},
    Option{"lb-report", "", "WEFT_LB_REPORT", Kind::kText, "", "FILE",
           "Write a page for browsers that shows each worker's load, background and ranks at every step."},
    Option{"migrate-at", "", "WEFT_MIGRATE_AT", Kind::kList, "", "NAME[,NAME]",
           "Also at these blocking collectives over all ranks: barrier, allreduce, bcast, reduce, allgather, "
           "alltoall. For programs without MPI_Migrate."},
    // Collectives
    Option{"collectives", "", "WEFT_COLLECTIVES", Kind::kText, "", "FILE",
           "Collectives go by what this table of --tune found fastest at the nearest size, number of ranks and shape "
           "of job. Without it: as built in."},
    Option{"tune", "", "", Kind::kText, "", "FILE",
           "Run no program, but measure every algorithm of every collective with as many ranks, workers and processes "
           "as are asked for, and write the table to this file; what it has of other shapes stays."},
    // What ran when
    Option{"trace", "", "WEFT_TRACE", Kind::kText, "", "FILE",
           "Write a timeline for Perfetto (ui.perfetto.dev) or Chrome: which rank ran when on which worker, MPI calls, "
           "messages, moves, balancing steps."},
    Option{"otf2", "", "WEFT_OTF2", Kind::kText, "", "DIR",
           "Write the same as an OTF2 archive, DIR/traces.otf2, for Vampir, Scalasca, otf2-print: each rank is a "
           "location. "
           "All processes must see DIR; the events go there while the job runs."},
    Option{
        "record", "", "WEFT_RECORD", Kind::kText, "", "DIR",
        "Record the job for weftsim: what ranks compute, messages, collectives, what MPI_Migrate decides from. DIR is "
        "new or empty; all processes must see it."},
    Option{"trace-memory", "", "WEFT_TRACE_MEMORY", Kind::kSize, "16M", "BYTES",
           "Memory for each worker's events of --trace; when it is full the timeline ends. With --otf2 it does not.",
           4096, kMostBytes},
    // Checkpoints
    Option{"checkpoint", "", "WEFT_CHECKPOINT", Kind::kText, "", "DIR",
           "Folder for checkpoints, which are written at MPI_Migrate when it is time or after a SIGUSR1."},
    Option{"checkpoint-every", "", "WEFT_CHECKPOINT_EVERY", Kind::kInteger, "0", "K",
           "Write a checkpoint at every K-th MPI_Migrate; 0: only after a SIGUSR1.", 0, 1'000'000'000},
    Option{"restart", "", "WEFT_RESTART", Kind::kText, "", "DIR",
           "Go on from the checkpoint in this folder, on any number of workers and processes."},
    // Deaths
    Option{
        "survive", "", "WEFT_SURVIVE", Kind::kText, "", "INTERVAL",
        "Go on where a process dies by a signal: keep an image of all ranks in memory, written at MPI_Migrate, else at "
        "collectives, at most once in so long (30s, 500ms, 2m), and start the processes again from it. On one host."},
    Option{"survive-limit", "", "WEFT_SURVIVE_LIMIT", Kind::kInteger, "10", "N",
           "How often the job goes on after a death.", 0, 1'000'000'000},
    // Ranks
    Option{"stack", "", "WEFT_STACK", Kind::kSize, "8M", "BYTES",
           "Stack of a rank. Pages that are never touched cost nothing.", 16384, kMostBytes},
    Option{"huge-pages", "", "WEFT_HUGE_PAGES", Kind::kYesNo, "yes", "yes|no",
           "Pages of 2 MiB for large heaps and static variables, where the system gives them to who asks. No: for "
           "arrays that are used here and there."},
    Option{"share", "", "WEFT_SHARE", Kind::kList, "", "LIB[,LIB]",
           "Libraries that all ranks share instead of having their own copy: names or patterns, without .so."},
    Option{
        "plugins", "", "WEFT_PLUGINS", Kind::kList, "", "FILE[,FILE]",
        "Libraries that ranks will open with dlopen, as paths or patterns: each rank has its own copy, loaded at the "
        "start."},
    Option{"tag-output", "", "WEFT_TAG_OUTPUT", Kind::kFlag, "no", "", "Begin every line of output with [rank]."},
    Option{"timeout", "", "WEFT_TIMEOUT", Kind::kInteger, "0", "SECONDS",
           "End the job so long after its start, with a line that says so; 0: never. MPIEXEC_TIMEOUT means the same.",
           0, 1'000'000'000},
    Option{"preempt", "", "WEFT_PREEMPT", Kind::kInteger, "2", "SECONDS",
           "Let the other ranks of a worker run where one computes for so long without a call; 0: never.", 0,
           1'000'000'000},
    Option{"wdir", "dir wd", "", Kind::kText, "", "DIR", "Change to this folder first."},
    Option{"x", "", "", Kind::kRepeat, "", "VAR=VALUE", "Set an environment variable for the ranks."},
    Option{"genv", "env", "", Kind::kPair, "", "VAR VALUE", "The same, in two words."},
    // Messages and scheduling
    Option{"net", "", "WEFT_NET", Kind::kText, "auto", "NAME",
           "How processes reach each other: auto is shared memory within a node and libfabric's tcp;ofi_rxm between "
           "nodes; or a provider of libfabric for all."},
    Option{"eager", "", "WEFT_EAGER", Kind::kSize, "16K", "BYTES",
           "Longer messages are copied once, straight from the sender's buffer.", 0, kMostBytes},
    Option{"unexpected-limit", "", "WEFT_UNEXPECTED_LIMIT", Kind::kSize, "", "BYTES",
           "Memory of a process for messages from other processes that its ranks have not asked for yet; then senders "
           "wait. 16M from each other process are taken in any case. If it is not given: as long as a tenth of the "
           "memory is left.",
           std::int64_t{16} << 20, kMostBytes},
    Option{"spin", "", "WEFT_SPIN", Kind::kInteger, "50", "US",
           "Microseconds that an idle worker polls before it sleeps. If it is not given: 500 where each rank has a "
           "worker of its own, and 3000 where that spares a worker the sleep and nobody else wants its core.",
           0, 60'000'000},
    // Finding faults
    Option{"check", "", "WEFT_CHECK", Kind::kFlag, "no", "",
           "At the end, name messages nobody received and what nobody completed or freed, by the place in the program "
           "that made it."},
    Option{"verbose", "v", "WEFT_VERBOSE", Kind::kFlag, "no", "",
           "Say what is started, and how long the ranks of the first process ran."},
    Option{"quiet", "q", "WEFT_QUIET", Kind::kFlag, "no", "", "Say nothing about ignored options."},
    Option{"region-base", "", "WEFT_REGION_BASE", Kind::kText, "0x400000000000", "ADDRESS",
           "First address of the ranks' memory; for valgrind, 0x10000000000."},
    Option{"region-size", "", "WEFT_REGION_SIZE", Kind::kSize, "20T", "BYTES",
           "Address space of all ranks together; for valgrind or under ulimit -v, 16G.", 1 << 20, kMostBytes * 100},
    Option{"version", "V", "", Kind::kFlag, "no", "", "Print the version and end."},
    Option{"help", "h", "", Kind::kFlag, "no", "", "Print this help and end."},
    // Of a program's own start (rank_start.c): the file to run, one rank unless a variable says more
    Option{"direct", "", "", Kind::kText, "", "FILE", ""},
    // Between weftrun and the processes it starts
    Option{"", "", "WEFT_BOOTSTRAP", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_IMAGES", Kind::kText, "", "", ""},
    // Variables of the other tools
    Option{"", "", "WEFT_HOME", Kind::kText, "", "DIR",
           "Where Weft is installed, for a program that is started without weftrun. Else: beside the libmpi_abi it was "
           "linked with, then PATH."},
    Option{"", "", "WEFT_CC", Kind::kText, "", "COMMAND", "The compiler that weftcc calls."},
    Option{"", "", "WEFT_CXX", Kind::kText, "", "COMMAND", "The compiler that weftcxx calls."},
    Option{"", "", "WEFT_FC", Kind::kText, "", "COMMAND", "The compiler that weftfort calls."},
    // What scripts written for other launchers say
    Option{"oversubscribe", "", "", Kind::kIgnored, "", "", ""},
    Option{"nooversubscribe", "", "", Kind::kIgnored, "", "", ""},
    Option{"use-hwthread-cpus", "", "", Kind::kIgnored, "", "", ""},
    Option{"allow-run-as-root", "", "", Kind::kIgnored, "", "", ""},
    Option{"report-bindings", "", "", Kind::kIgnored, "", "", ""},
    Option{"bind-to", "", "", Kind::kIgnored, "", "X", ""},
    Option{"map-by", "", "", Kind::kIgnored, "", "X", ""},
    Option{"rank-by", "", "", Kind::kIgnored, "", "X", ""},
    Option{"ppn", "", "", Kind::kIgnored, "", "X", ""},
    Option{"host", "H", "", Kind::kIgnored, "", "X", ""},
    Option{"hostfile", "machinefile f", "", Kind::kIgnored, "", "X", ""},
    Option{"mca", "", "", Kind::kIgnored, "", "X Y", ""},
    Option{"launcher", "", "", Kind::kIgnored, "", "X", ""},
    Option{"genvall", "envall", "", Kind::kIgnored, "", "", ""},
};

}  // namespace

std::span<const Option> knobs() { return kKnobs; }

base::CommandText weftrun_text() {
  return {
      .name = "weftrun",
      .summary = "runs an MPI program with many ranks per core",
      .usage = "[options] program [arguments]",
      .details =
          "weftrun loads a program that weftcc, weftcxx or weftfort linked once per rank and runs all ranks on the "
          "workers of one process or several. Each rank has its own global variables, heap and stack.\n"
          "The exit code is the largest of the ranks'. When all ranks wait and nothing can wake them, the job ends "
          "with a report of who waits for whom.\n"
          "mpirun and mpiexec are other names of weftrun.",
      .examples =
          "weftrun -n 64 ./app             64 ranks on all cores\n"
          "weftrun --ratio 8 ./app         8 ranks for each core\n"
          "weftrun -n 64 --lb greedy ./app ranks move at MPI_Migrate\n"
          "weftrun -n 2 ./a : -n 3 ./b     two programs in one MPI_COMM_WORLD\n"
          "weftrun -n 64 --processes 4 ./app  in 4 processes on this host\n"
          "weftrun -n 64 --hosts a:2,b:2 ./app  2 processes on each of two hosts\n"
          "weftrun -n 64 --processes 4 --survive 30s ./app  go on where a process dies\n"
          "weftrun -n 4 --check ./app      name leaks and lost messages at the end\n"
          "weftrun -n 64 --tune t.json     measure collectives; then\n"
          "weftrun -n 64 --collectives t.json ./app  let them go by it\n",
      .version = WEFT_VERSION_TEXT,
  };
}

}  // namespace weft::tools
