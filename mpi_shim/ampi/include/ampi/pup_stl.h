// pup.h knows the containers of the standard library.
#include "pup.h"
