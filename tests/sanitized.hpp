// Whether this is a build with a sanitizer. Such builds are many times slower: tests with very many ranks or sizes use
// fewer there, and measurements of CPU time mean nothing.
#pragma once

namespace weft {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace weft
