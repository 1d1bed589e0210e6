// Exceptions that leave callback functions of the program. The MPI call stores the exception, does what the rank's
// state and the other ranks rely on, and then rethrows it to its caller.
//
// The program's C++ library is private to the rank, and the exception belongs to that library. So no catch of C++ can
// be used here: the unwinder stops the exception, and raises it again.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

struct _Unwind_Exception;

namespace weft::mpi_shim {
inline namespace error {

// At most one exception of a rank. Used on the rank's fibre and in its own threads only.
class PendingException {
 public:
  PendingException() = default;
  // An exception that is never rethrown stays in the rank's memory: its destructor belongs to the program, which may be
  // unloaded already.
  ~PendingException() = default;
  PendingException(const PendingException&) = delete;
  PendingException& operator=(const PendingException&) = delete;

  // Calls the function. False if an exception left it: the exception is stored, unless there is one already. An
  // exception that no function of the program would catch ends the rank where it is thrown, as without this class.
  template <typename Function>
  bool run(Function&& function) {
    return keep(call([](void* f) { (*static_cast<std::remove_reference_t<Function>*>(f))(); },
                     const_cast<void*>(static_cast<const void*>(std::addressof(function)))));
  }
  bool holds() const { return exception_ != nullptr; }
  // Takes over the exception of `other`, if this object has none.
  void take(PendingException& other);
  // Rethrows the exception that the calling execution context has stored; returns if there is none.
  void rethrow() {
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
