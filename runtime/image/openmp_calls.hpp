// Corrects calls of the OpenMP library (libomp, libiomp5) by code of clang's and Intel's compilers.
#pragma once

#include <string>

namespace weft::image {

// These compilers request the number of the calling thread (__kmpc_global_thread_num) once, at the start of a function,
// and pass it in all calls of that function. A rank may continue on another thread meanwhile, which has another number.
// The library would then apply a setting such as num_threads(4) to the first thread, which runs other ranks by now.
//
// Returns the host's function that ranks get instead of the library's function of this name, if the library is loaded.
// It calls that function with the number of the thread that runs the rank now. Null for all other names, including the
// atomic operations of Intel's compilers, which have floating-point arguments and use the number for traces only.
// LLVM's openmp/runtime/src/kmp.h declares the functions.
void* with_number_of_thread(const std::string& name);

}  // namespace weft::image
