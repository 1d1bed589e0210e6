/* What the test host gives its ranks. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

int host_rank(void);
int host_ranks(void);
void host_yield(void); /* returns on another thread, if the host has more than one */

#ifdef __cplusplus
}
#endif
