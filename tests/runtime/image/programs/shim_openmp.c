/* OpenMP threads allocate, print and use thread-private variables at the same time, in several ranks. */
#include <stdlib.h>
#include <string.h>

#include "shim_check.h"

int omp_get_thread_num(void);

static int own = 5;
#pragma omp threadprivate(own)

int main(void) {
  int sum = 0;
  own = 100 + host_rank();
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
      const int number = omp_get_thread_num();
      if (number != 0 && round == 0) {
        sum += own == 5 ? 0 : 1000;
        own = number;
      }
      sum += number != 0 && own != number ? 1000 : 0;
      for (int i = 0; i < 3000; ++i) {
        char* p = malloc((size_t)(i % 700));
        char* q = realloc(p, (size_t)(i % 300 + 400));
        memset(q, number, (size_t)(i % 300 + 400));
        free(q);
      }
      sum += 1;
    }
    CHECK(own == 100 + host_rank());
  }
  CHECK(sum == 9);
  return failures;
}
