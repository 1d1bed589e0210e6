/* Another name that AMPI programs know mpi.h by. */
#include "mpi.h"
