#include "runtime/image/debug_table.h"

[[gnu::visibility("default"), gnu::used]] WeftDebugTable weft_debug = {
    WEFT_DEBUG_VERSION, 0, 0, 0, 0, nullptr, 0, nullptr, 0, nullptr};
