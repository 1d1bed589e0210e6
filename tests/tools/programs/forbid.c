/* forbid NAME command...: executes the command with that system call failing by EPERM, as a container's filter does.
   forbid alone lists the names. Exit code 77 where the system has no such filters. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char* name;
  int number;
} calls[] = {
#define CALL(name) \
  { #name, SYS_##name }
    CALL(clone),
    CALL(clone3),
    CALL(dup2),
    CALL(eventfd2),
    CALL(fcntl),
    CALL(ftruncate),
    CALL(getcwd),
    CALL(getdents64),
    CALL(getpid),
    CALL(getppid),
    CALL(getrandom),
    CALL(getrusage),
    CALL(gettid),
    CALL(ioctl),
    CALL(kill),
    CALL(madvise),
    CALL(memfd_create),
    CALL(personality),
    CALL(poll),
    CALL(prctl),
    CALL(prlimit64),
    CALL(recvfrom),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(sched_getaffinity),
    CALL(sched_yield),
    CALL(sendto),
    CALL(shutdown),
    CALL(sched_setaffinity),
    CALL(sigaltstack),
    CALL(signalfd4),
    CALL(set_robust_list),
    CALL(socketpair),
    CALL(process_vm_readv),
    CALL(uname),
    CALL(wait4),
    CALL(write),
    CALL(writev),
    CALL(clock_nanosleep),
    CALL(munmap),
};

int main(int argc, char** argv) {
  const int count = (int)(sizeof calls / sizeof *calls);
  int i = 0;
  if (argc < 3) {
    for (; i < count; ++i) {
      puts(calls[i].name);
    }
    return 0;
  }
  while (i < count && strcmp(calls[i].name, argv[1]) != 0) {
    ++i;
  }
  if (i == count) {
    return 1;
  }
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return 77;
  }
  execv(argv[2], argv + 2);
  return 1;
}
