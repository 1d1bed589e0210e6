/* Initial-exec access cannot give each rank a block of its own. */
__attribute__((tls_model("initial-exec"))) _Thread_local int fast_variable;

int main(void) { return fast_variable; }
