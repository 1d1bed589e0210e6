/* An interpreter as the rank's program. */
int Py_BytesMain(int argc, char** argv);

int main(int argc, char** argv) { return Py_BytesMain(argc, argv); }
