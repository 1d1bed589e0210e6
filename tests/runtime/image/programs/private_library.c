/* A private library: one copy of its variables per rank. It also reads one of the program's. */
extern int program_variable;
int library_variable = 4;

int* library_pointer(void) { return &library_variable; }

int library_calls(void) {
  static int calls;
  return program_variable == library_variable - 4 ? ++calls : -1;
}
