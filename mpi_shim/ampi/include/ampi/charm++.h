// What AMPI programs look for in this header of Charm++'s: class PUP::er. Nothing else of Charm++ is here.
#include "mpi.h"
#include "pup.h"
