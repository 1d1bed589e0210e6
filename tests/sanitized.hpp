// Whether a sanitizer looks on. Its builds are many times slower: tests with very many ranks or sizes take fewer there,
// and what measures CPU time has nothing to say.
#pragma once

namespace weft {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace weft
