/* main is hidden; an exported pointer leads to it, as the compiler wrapper's start object has it. */
int main(int argc, char** argv) { return argc == 3 && argv[3] == 0 ? 0 : 1; }

__attribute__((visibility("default"))) int (*const weft_main)(int, char**) = main;
