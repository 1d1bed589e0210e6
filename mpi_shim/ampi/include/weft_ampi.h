/* The names of AMPI that Weft supports; mpi.h includes this file. docs/migration.md says what differs. */
#ifndef WEFT_AMPI_H
#define WEFT_AMPI_H

#ifdef __GNUC__
#pragma GCC system_header /* the handles are casts, which C++ programs may warn about */
#endif

#ifdef AMPI
#include <inttypes.h> /* which AMPI programs do not include themselves */
#endif
#include <stdlib.h>

#include "mpi.h"
#include "pup_c.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef void (*MPI_PupFn)(pup_er, void*);
typedef void (*MPI_MigrateFn)(void);

/* For AMPI_Migrate alone. */
#define AMPI_INFO_LB_SYNC ((MPI_Info)0x134)
#define AMPI_INFO_LB_ASYNC ((MPI_Info)0x135)
#define AMPI_INFO_CHKPT_IN_MEMORY ((MPI_Info)0x136)

/* Attributes of every communicator; each value is an int*: the worker that runs the rank, the number of workers of the
 * job, the process, the number of processes, the worker that the rank began on. After a migration get them anew. */
#define AMPI_MY_WTH 551
#define AMPI_NUM_WTHS 552
#define AMPI_MY_PROCESS 553
#define AMPI_NUM_PROCESSES 554
#define AMPI_MY_HOME_WTH 555

/* Collective over MPI_COMM_WORLD, with equal hints: keys ampi_load_balance (sync, async: a balancing step; false) and
 * ampi_checkpoint (to_file=DIR; in_memory, in a job of weftrun --survive; false). */
int AMPI_Migrate(MPI_Info hints);
/* The calling rank asks for another worker: it goes there in the next balancing step, whatever the strategy says. */
int AMPI_Migrate_to_pe(int dest);
/* 0: the balancer leaves the rank where it is. */
int AMPI_Set_migratable(int mig);

/* When the rank leaves its process, fn(p, data) is called to count, then to pack and free what the object at data
 * holds, and where it has arrived to allocate and unpack it. Moves inside a process call none of them. idx numbers the
 * function. MPI calls in such functions are errors. */
int AMPI_Register_pup(MPI_PupFn fn, void* data, int* idx);
/* Stores the data pointer in *(void**)data. */
int AMPI_Get_pup_data(int idx, void* data);
/* Called on both sides of every move of the rank, inside a process too; MPI calls there are errors. */
int AMPI_Register_about_to_migrate(MPI_MigrateFn fn);
int AMPI_Register_just_migrated(MPI_MigrateFn fn);

/* Which of the rank's computing time counts as load. Between stop and start none counts; reset discards what was
 * counted; a value that is set (seconds) replaces the measured load until the next balancing step. */
int AMPI_Load_start_measure(void);
int AMPI_Load_stop_measure(void);
int AMPI_Load_reset_measure(void);
int AMPI_Load_set_value(double value);

int AMPI_Type_is_contiguous(MPI_Datatype datatype, int* flag);
int AMPI_Evacuate(void); /* under --survive: the caller's process leaves the job in its next balancing step */
int AMPI_Yield(void);    /* lets messages arrive and other ranks run */
int AMPI_Print(const char* str);
int AMPI_System(const char* cmd);
int AMPI_Trace_begin(void); /* no effect */
int AMPI_Trace_end(void);
static __inline__ void AMPI_Exit(int exitCode) { exit(exitCode); }
int AMPI_Alltoall_medium(void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm);
int AMPI_Alltoall_long(void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm);

/* Not supported: MPI_ERR_UNSUPPORTED_OPERATION, and a line that names them. */
int AMPI_Suspend(void);
int AMPI_Install_Idle_Timer(void);
int AMPI_Uninstall_Idle_Timer(void);
int AMPI_Resume(int dest, MPI_Comm comm);
int AMPI_Iget(MPI_Aint orgdisp, int orgcnt, MPI_Datatype orgtype, int rank, MPI_Aint targdisp, int targcnt,
              MPI_Datatype targtype, MPI_Win win, MPI_Request* request);
int AMPI_Iget_wait(MPI_Request* request, MPI_Status* status, MPI_Win win);
int AMPI_Iget_free(MPI_Request* request, MPI_Status* status, MPI_Win win);
int AMPI_Iget_data(void* data, MPI_Status status);

/* Older names of the same. */
int MPI_Register(void* data, MPI_PupFn fn); /* the index */
void* MPI_Get_userdata(int idx);
int MPI_Async_Migrate(void);
int MPI_Setmigratable(MPI_Comm comm, int mig);
int MPI_Start_measure(void);
int MPI_Stop_measure(void);
int MPI_Set_load(double load);
int MPI_Checkpoint(const char* dirname); /* AMPI_Migrate with to_file=dirname */
int MPI_MemCheckpoint(void);             /* AMPI_Migrate with in_memory */
int MPI_Print(const char* str);
int MPI_System(const char* cmd);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
