// The sections of weftrun's manual page besides its options: CommandText::sections (base/options_text.hpp).
#pragma once

#include <string_view>

namespace weft::tools {

inline constexpr std::string_view kWeftrunManual =
    "=PLACEMENT\n"
    "A worker is a thread that runs ranks, as a slot is what other launchers give one rank to. Without options there "
    "is one worker for each "
    "core that the process may use, and one rank for each worker.\n"
    "-n, --ratio, --workers\tHow many ranks in all, for each worker, and how many workers. More ranks than workers is "
    "the usual case.\n"
    "--processes, --hosts\tWorkers are shared out in equal parts over so many processes, on this host or on others.\n"
    "--host, --hostfile\tHosts and their slots, as Open MPI and Hydra have them. Without them, those of an allocation "
    "by Slurm, PBS, LSF or "
    "SGE count.\n"
    "--map-by, --rank-by, --ppn, --npernode\tWhich worker each rank starts on, and how ranks are numbered.\n"
    "--display map, --do-not-launch\tShow which worker each rank starts on; start nothing.\n"
    "Where ranks start says nothing of where they end: --lb-continuous and --lb move them while the program runs.\n"
    "=BINDING\n"
    "Each worker keeps to a core of its own as long as there are enough, first to those that no other job of this user "
    "has. --bind-to names "
    "another unit or none, --report-bindings says what was done. taskset before weftrun says which cores there are. A "
    "rank that binds itself "
    "(sched_setaffinity) is told that it has, and its worker stays where it is.\n"
    "=VARIABLES OF RANKS\n"
    "Ranks on this host have all variables of weftrun; those on other hosts only WEFT_ variables and what -x, --genv, "
    "--genvlist or --genvall "
    "name. What a rank changes by setenv is its own.\n"
    "=STANDARD INPUT AND OUTPUT\n"
    "Rank 0 reads standard input. What ranks print comes in whole lines; --tag-output says whose, --output-filename "
    "keeps them apart.\n"
    "=SIGNALS\n"
    "SIGINT, SIGTERM, SIGHUP\tend the job.\n"
    "SIGUSR1\tasks for a checkpoint at the next MPI_Migrate, where --checkpoint is given.\n"
    "SIGUSR2\tprints the table of balancing steps at the next one, where --lb is given.\n"
    "A handler that a rank installs runs for a signal to its process, once for each rank that has one.\n"
    "=EXIT STATUS\n"
    "the largest of the ranks'\tif all ranks end by themselves.\n"
    "the code of MPI_Abort\tif a rank calls it.\n"
    "1\tif an option, the program or a variable is not right, if all ranks wait for each other, or after --timeout.\n"
    "128 + the signal\tif a process dies by a signal, as a shell shows it; with --survive only after the same crash "
    "twice.\n";

}  // namespace weft::tools
