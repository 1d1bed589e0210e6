// The calls that clang's and Intel's code makes of the OpenMP library (libomp, libiomp5).
#pragma once

#include <string>

namespace weft::image {

// These compilers ask for the number of the calling thread (__kmpc_global_thread_num) once, where a function begins,
// and pass it in all calls of that function. A rank may have come to another thread meanwhile, whose number is another:
// the library would take what is meant for this thread, such as num_threads(4), as that of a thread that runs other
// ranks.
//
// The host's function that ranks get instead of the library's one of this name, which is loaded: it calls that with the
// number of the thread that runs the rank now. Null for all others, the atomic operations of Intel's compilers among
// them, which have floating-point arguments and look at the number for traces only. LLVM's openmp/runtime/src/kmp.h
// declares them.
void* with_number_of_thread(const std::string& name);

}  // namespace weft::image
