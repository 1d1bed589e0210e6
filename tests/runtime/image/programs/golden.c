/* One variable per kind of relocation; no library behind it. */
extern int host_rank(void);
__attribute__((weak)) extern int nowhere(void);

int target[4] = {1, 2, 3, 4};
_Thread_local int per_thread = 5;
_Thread_local int* per_thread_pointer = &target[1];
static int hidden_target;

int function(void) { return target[0]; }
static int chosen(void) { return 42; }
static int (*choose(void))(void) {
  int (*volatile its)(void) = chosen; /* a compiler that sees through it needs no indirect function */
  return its;
}
__attribute__((ifunc("choose"))) int indirect(void);

int* pointer = &target[0];
int* inner = &target[3];
int* hidden = &hidden_target;
int (*own)(void) = function;
int (*host)(void) = host_rank;
int (*weak)(void) = nowhere;
int (*indirect_pointer)(void) = indirect;
int** chain = &pointer;

int sum(void) { return per_thread + *per_thread_pointer + *pointer + *inner + own() + (*chain)[1]; }
int main(void) { return sum() == 5 + 2 + 1 + 4 + 1 + 2 && indirect() == 42 ? 0 : 1; }
