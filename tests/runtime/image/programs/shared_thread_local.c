/* A library with a thread-local variable that others may use. */
_Thread_local int library_variable = 4;
