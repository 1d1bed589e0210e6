/* One open database in memory per rank, through a library that is loaded once per rank. */
#include <stdio.h>

#include "host.h"

typedef struct sqlite3 sqlite3;
int sqlite3_open(const char*, sqlite3**);
int sqlite3_exec(sqlite3*, const char*, int (*)(void*, int, char**, char**), void*, char**);
int sqlite3_close(sqlite3*);

static int keep(void* number, int columns, char** values, char** names) {
  (void)columns;
  (void)names;
  return sscanf(values[0], "%d", (int*)number) == 1 ? 0 : 1;
}

int main(void) {
  sqlite3* database;
  char text[80];
  int sum = -1;
  if (sqlite3_open(":memory:", &database) != 0) {
    return 1;
  }
  if (sqlite3_exec(database, "create table t(a int)", 0, 0, 0) != 0) {
    return 2;
  }
  for (int i = 0; i < 100; i++) {
    snprintf(text, sizeof text, "insert into t values(%d)", host_rank());
    if (sqlite3_exec(database, text, 0, 0, 0) != 0) {
      return 3;
    }
    if (i % 10 == 0) {
      host_yield();
    }
  }
  if (sqlite3_exec(database, "select sum(a) from t", keep, &sum, 0) != 0) {
    return 4;
  }
  return sqlite3_close(database) != 0 || sum != 100 * host_rank();
}
