#include "tools/knobs.hpp"

#include <array>

#include "tools/weftrun_manual.hpp"

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
           "Processes to start and to spread the workers over. Without it: one on each host. Under another "
           "launcher (mpirun, srun): as many as that has started.",
           1, 65536},
    Option{"hosts", "", "WEFT_HOSTS", Kind::kList, "", "HOST[:P][,HOST]",
           "Where processes start, and how many on each: their workers have the host's cores. Other hosts need the "
           "same weftrun and program at the same path."},
    Option{
        "host", "H", "WEFT_HOST", Kind::kList, "", "HOST[:N][,HOST]",
        "Hosts, each with the number of its slots: workers that ranks may start on. One that is named once without N "
        "has as many as cores. One process runs on each, or --processes in all. With --hostfile: which of its hosts."},
    Option{
        "hostfile", "machinefile f", "WEFT_HOSTFILE", Kind::kText, "", "FILE",
        "Hosts and slots from a file with lines HOST, HOST slots=N or HOST:N; # begins a comment. Where no hosts are "
        "given, those of an allocation by Slurm, PBS, LSF or SGE count."},
    Option{"ppn", "perhost", "WEFT_PPN", Kind::kInteger, "", "K",
           "Give each host K ranks in turn, and go round again while ranks are left.", 1, kMostRanks},
    Option{"npernode", "N", "WEFT_NPERNODE", Kind::kInteger, "", "K",
           "At most K ranks on each host; without -n, K on each. As --map-by ppr:K:node.", 1, kMostRanks},
    Option{"pernode", "", "", Kind::kFlag, "no", "", "As --npernode 1."},
    Option{
        "map-by", "", "WEFT_MAP_BY", Kind::kText, "slot", "UNIT",
        "Where ranks start. slot (also core, hwthread): they fill the slots host after host; more ranks than slots go "
        "in blocks over all. node, process, worker: each in turn gets one, those without a free worker left out as "
        "long as others have one. ppr:K:node (or process, worker): K on each. Behind it :nooversubscribe, "
        ":oversubscribe."},
    Option{"rank-by", "", "WEFT_RANK_BY", Kind::kText, "", "UNIT",
           "How ranks are numbered over the places that --map-by gives: slot (also core, hwthread), one host after the "
           "other; node, process, worker, one from each in turn. Without it: as they are mapped."},
    Option{"nooversubscribe", "", "WEFT_NOOVERSUBSCRIBE", Kind::kFlag, "no", "", "Refuse more ranks than workers."},
    Option{
        "bind-to", "", "WEFT_BIND_TO", Kind::kText, "", "WHAT",
        "Bind each worker to a hwthread or core of its own, to the numa node or socket around that, or none. Without "
        "it: as --bind says."},
    Option{"report-bindings", "", "WEFT_REPORT_BINDINGS", Kind::kFlag, "no", "",
           "Before the job starts, print the table of --display map on standard error."},
    Option{"display", "", "WEFT_DISPLAY", Kind::kList, "", "WHAT",
           "Before the job starts, print a table on standard output: map, which worker each rank starts on, and which "
           "hardware threads that is bound to."},
    Option{"display-map", "", "", Kind::kFlag, "no", "", "As --display map."},
    Option{"do-not-launch", "", "", Kind::kFlag, "no", "",
           "Start nothing, but check the options, and print the table of --display map."},
    Option{
        "launcher", "bootstrap", "WEFT_LAUNCHER", Kind::kChoice, "", "NAME",
        "What starts processes on other hosts. Without it: slurm, which is srun, in an allocation by Slurm; else ssh.",
        0, 0, "ssh rsh slurm"},
    Option{
        "launcher-agent", "", "WEFT_LAUNCHER_AGENT", Kind::kText, "ssh", "COMMAND",
        "Starts a shell's line on another host: called as COMMAND HOST LINE, or, with %h in COMMAND, as COMMAND LINE "
        "with the host in place of %h."},
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
           "weftrun (under another launcher: to process 0) prints the table at the next step.",
           0, 0, "none line table"},
    Option{"lb-report", "", "WEFT_LB_REPORT", Kind::kText, "", "FILE",
           "Write a page for browsers that shows each worker's load, background and ranks at every step, and what "
           "weft_iterations predicts."},
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
    Option{
        "checkpoint-every", "", "WEFT_CHECKPOINT_EVERY", Kind::kText, "0", "K|TIME",
        "Write a checkpoint at every K-th MPI_Migrate, or at the first one after so long (30s, 10m); 0: only after a "
        "SIGUSR1. With --survive the next image after that goes to the disk, while the ranks go on."},
    Option{"restart", "", "WEFT_RESTART", Kind::kText, "", "DIR",
           "Go on from the checkpoint in this folder, on any number of workers and processes."},
    // Deaths
    Option{
        "survive", "", "WEFT_SURVIVE", Kind::kText, "", "INTERVAL",
        "Go on where a process dies by a signal: keep an image of all ranks in memory, written at MPI_Migrate, else at "
        "collectives, at most once in so long (30s, 500ms, 2m), and start the processes again from it. api: the "
        "program "
        "goes on by itself, with the calls of mpi-ext.h (ULFM), on one host."},
    Option{"survive-limit", "", "WEFT_SURVIVE_LIMIT", Kind::kInteger, "10", "N",
           "How often the job goes on after a death.", 0, 1'000'000'000},
    Option{"survive-silence", "", "WEFT_SURVIVE_SILENCE", Kind::kText, "600ms", "TIME",
           "Another host is lost, and the job goes on without it, where it says nothing for so long (1s, 600ms)."},
    Option{
        "survive-incremental", "", "WEFT_SURVIVE_INCREMENTAL", Kind::kYesNo, "yes", "yes|no",
        "Images copy only the pages that ranks have written since, where the kernel tells which these are (Linux 6.7). "
        "No: for programs whose memory is written by devices that Weft does not know."},
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
    Option{"tag-output", "prepend-rank l", "WEFT_TAG_OUTPUT", Kind::kFlag, "no", "",
           "Begin every line of output with [rank]."},
    Option{
        "output-filename", "", "WEFT_OUTPUT_FILENAME", Kind::kText, "", "DIR[:nocopy]",
        "Write what each rank prints to DIR/1/rank.N/stdout and stderr, too; with :nocopy nowhere else. All hosts must "
        "see DIR."},
    Option{"timeout", "", "WEFT_TIMEOUT", Kind::kText, "0", "TIME",
           "End the job so long after its start, with a line that says so: 60 or 60s, 2m, 1h, in whole seconds; 0: "
           "never. MPIEXEC_TIMEOUT, in seconds, means the same."},
    Option{"stall", "", "WEFT_STALL", Kind::kText, "", "TIME",
           "Print what `weft stacks` says of the job on standard error when no rank has sent a message or completed an "
           "MPI call for so long (60s, 500ms, 2m), once each time; the job goes on."},
    Option{"preempt", "", "WEFT_PREEMPT", Kind::kInteger, "2", "SECONDS",
           "Let the other ranks of a worker run where one computes for so long without a call; 0: never.", 0,
           1'000'000'000},
    Option{"wdir", "dir wd", "", Kind::kText, "", "DIR", "Change to this folder first."},
    Option{"x", "", "", Kind::kRepeat, "", "VAR=VALUE",
           "Set an environment variable for the ranks; VAR alone passes that of this shell on."},
    Option{"genv", "", "", Kind::kPair, "", "VAR VALUE", "The same, in two words."},
    Option{"env", "", "", Kind::kPair, "", "VAR VALUE", "The same, where there is one program."},
    Option{"genvlist", "envlist", "", Kind::kList, "", "VAR[,VAR]",
           "Pass these variables to other hosts, as -x VAR. Processes on this host have all."},
    Option{"genvall", "envall", "", Kind::kFlag, "no", "", "Pass all variables to other hosts."},
    Option{"genvnone", "envnone", "", Kind::kFlag, "no", "",
           "Pass no variables to other hosts but Weft's own and those of -x, as without it."},
    Option{
        "configfile", "app", "", Kind::kText, "", "FILE",
        "Further arguments from a file, in place of the program: each line has options, a program and its arguments, "
        "separated by spaces, as between colons; # begins a line that is left out."},
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
    // Given by a program that is started without weftrun (rank_start.c): the file to run, with one rank by default
    Option{"direct", "", "", Kind::kText, "", "FILE", ""},
    // Between weftrun and the processes it starts
    Option{"", "", "WEFT_BOOTSTRAP", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_IMAGES", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_PLACES", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_JOB", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_AGENT", Kind::kText, "", "", ""},
    Option{"", "", "WEFT_HOST_NAME", Kind::kText, "", "", ""},
    // Variables of the other tools
    Option{"", "", "WEFT_HOME", Kind::kText, "", "DIR",
           "Where Weft is installed, for a program that is started without weftrun. Else: beside the libmpi_abi it was "
           "linked with, then PATH."},
    Option{"", "", "WEFT_CC", Kind::kText, "", "COMMAND", "The compiler that weftcc calls."},
    Option{"", "", "WEFT_CXX", Kind::kText, "", "COMMAND", "The compiler that weftcxx calls."},
    Option{"", "", "WEFT_FC", Kind::kText, "", "COMMAND", "The compiler that weftfort calls."},
    // Options of other launchers that have no effect here
    Option{"oversubscribe", "", "", Kind::kIgnored, "", "", ""},
    Option{"use-hwthread-cpus", "", "", Kind::kIgnored, "", "", ""},
    Option{"allow-run-as-root", "", "", Kind::kIgnored, "", "", ""},
    Option{"mca", "", "", Kind::kIgnored, "", "X Y", ""},
    // Options of other launchers that are refused, with what to give instead
    Option{"rankfile", "rf", "", Kind::kRefused, "", "", "--map-by and --rank-by say where ranks start."},
    Option{"npersocket", "", "", Kind::kRefused, "", "", "--npernode or --map-by ppr:N:process, and --bind-to socket."},
    Option{"ppr", "", "", Kind::kRefused, "", "", "--map-by ppr:N:node, ppr:N:process or ppr:N:worker."},
    Option{"cpus-per-rank", "cpus-per-proc", "", Kind::kRefused, "", "",
           "a rank runs on one worker; --workers or --host HOST:N say how many there are."},
    Option{"cpu-set", "cpu-list", "", Kind::kRefused, "", "", "taskset -c LIST before weftrun."},
    Option{"nolocal", "skip-launch-node", "", Kind::kRefused, "", "", "--host names the hosts to use."},
    Option{"order-nodes", "", "", Kind::kRefused, "", "", "--host names the hosts in their order."},
    Option{"membind", "", "", Kind::kRefused, "", "", "numactl before weftrun."},
    Option{"gpus-per-proc", "", "", Kind::kRefused, "", "", "Weft gives no GPUs to ranks."},
    Option{"rmk", "", "", Kind::kRefused, "", "", "allocations of Slurm, PBS, LSF and SGE are found by themselves."},
    Option{"launcher-exec", "bootstrap-exec", "", Kind::kRefused, "", "", "--launcher-agent."},
    Option{"usize", "", "", Kind::kRefused, "", "", "--universe."},
    Option{"outfile-pattern", "errfile-pattern", "", Kind::kRefused, "", "", "--output-filename DIR."},
    Option{"prepend-pattern", "", "", Kind::kRefused, "", "", "--prepend-rank."},
    Option{"output", "", "", Kind::kRefused, "", "", "--tag-output or --output-filename DIR."},
    Option{"timestamp-output", "", "", Kind::kRefused, "", "", "--tag-output, and ts (moreutils) behind weftrun."},
    Option{"merge-stderr-to-stdout", "", "", Kind::kRefused, "", "", "2>&1 behind weftrun."},
    Option{"xterm", "xml", "", Kind::kRefused, "", "", "--output-filename DIR."},
    Option{"stdin", "s", "", Kind::kRefused, "", "", "rank 0 reads standard input; < /dev/null gives it none."},
    Option{"preload-binary", "preload-files", "", Kind::kRefused, "", "",
           "all hosts must see the program at the same path."},
    Option{"prefix", "path", "", Kind::kRefused, "", "", "PATH, or the program's whole path."},
    Option{"display-allocation", "display-devel-map", "", Kind::kRefused, "", "", "--display map."},
    Option{"print-all-exitcodes", "", "", Kind::kRefused, "", "", "the exit code is the largest of the ranks'."},
    Option{"max-restarts", "enable-recovery", "", Kind::kRefused, "", "", "--survive INTERVAL."},
    Option{"gwdir", "", "", Kind::kRefused, "", "", "--wdir."},
    Option{"iface", "", "", Kind::kRefused, "", "", "--net chooses a provider; FI_TCP_IFACE its interface."},
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
      .sections = kWeftrunManual,
  };
}

}  // namespace weft::tools
