// Exceptions that leave the program's callback functions: they pass through the call as through any other MPI's, but
// only once the call has done what the rank's own state and the other ranks rely on.
//
// The program's C++ library is private to the rank, and the exception is one of that library's. So nothing here catches
// it in the sense of C++; it is held up on its way by the unwinder, and raised again.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

struct _Unwind_Exception;

namespace weft::mpi_shim {
inline namespace error {

// Of one rank, which touches it on its own fibre and in its own threads.
class KeptException {
 public:
  KeptException() = default;
  // One that is never raised again stays in the rank's memory: its destructor is the program's, which may be gone.
  ~KeptException() = default;
  KeptException(const KeptException&) = delete;
  KeptException& operator=(const KeptException&) = delete;

  // Calls the function. False if an exception left it: that is kept, unless there is one already. What no function of
  // the program above would catch ends the rank where it is thrown, as without this.
  template <typename Function>
  bool run(Function&& function) {
    return keep(call([](void* f) { (*static_cast<std::remove_reference_t<Function>*>(f))(); },
                     const_cast<void*>(static_cast<const void*>(std::addressof(function)))));
  }
  bool holds() const { return exception_ != nullptr; }
  // Takes over what another one keeps, if this one keeps nothing.
  void take(KeptException& other);
  // Raises what the calling context has kept, if there is something, and does not return then.
  void resume() {
    if (exception_ != nullptr) [[unlikely]] {
      raise();
    }
  }

 private:
  static _Unwind_Exception* call(void (*function)(void*), void* argument);
  bool keep(_Unwind_Exception* exception);
  void raise();

  _Unwind_Exception* exception_ = nullptr;
  const void* context_ = nullptr;  // a thread of the rank must not raise another one's
};

}  // namespace error
}  // namespace weft::mpi_shim
