/* Linked in ways that the loader must refuse. */
#include <stdio.h>

int global = 1;

int main(void) { return fputs("", stdout) < 0 ? 1 : global - 1; }
