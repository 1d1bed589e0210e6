/* A PIE with thread-local variables. */
_Thread_local int per_thread = 3;

int main(void) { return per_thread - 3; }
