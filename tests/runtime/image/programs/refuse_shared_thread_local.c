/* Uses the thread-local variable of a library that is shared between the ranks. */
extern _Thread_local int library_variable;

int main(void) { return library_variable - 4; }
