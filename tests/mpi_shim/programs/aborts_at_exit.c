/* For LD_PRELOAD: aborts while the process exits, when no rank lives any more. */
#include <stdlib.h>

__attribute__((destructor)) static void abort_at_exit(void) { abort(); }
