#include "runtime/meter/counter.hpp"

#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>

#include <array>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::runtime {
inline namespace meter {
namespace {

// libpapi's functions, from dlsym(): a job that counts nothing does not load the library.
struct Papi {
  decltype(&::PAPI_library_init) library_init;
  decltype(&::PAPI_thread_init) thread_init;
  decltype(&::PAPI_register_thread) register_thread;
  decltype(&::PAPI_unregister_thread) unregister_thread;
  decltype(&::PAPI_event_name_to_code) event_name_to_code;
  decltype(&::PAPI_set_domain) set_domain;
  decltype(&::PAPI_create_eventset) create_eventset;
  decltype(&::PAPI_add_event) add_event;
  decltype(&::PAPI_start) start;
  decltype(&::PAPI_read) read;
  decltype(&::PAPI_stop) stop;
  decltype(&::PAPI_cleanup_eventset) cleanup_eventset;
  decltype(&::PAPI_destroy_eventset) destroy_eventset;
  decltype(&::PAPI_strerror) strerror;
};

Papi open_papi() {
  // The version of the header stands for the layout of PAPI's structures.
  const std::string name =
      fmt::format("libpapi.so.{}.{}", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(fmt::format("{} cannot be opened: {}", name, dlerror()));
  }
  Papi papi{};
  const auto find = [&](const char* function, auto& address) {
    address = reinterpret_cast<std::remove_reference_t<decltype(address)>>(dlsym(library, function));
    if (address == nullptr) {
      throw std::runtime_error(fmt::format("{} has no {}", name, function));
    }
  };
  find("PAPI_library_init", papi.library_init);
  find("PAPI_thread_init", papi.thread_init);
  find("PAPI_register_thread", papi.register_thread);
  find("PAPI_unregister_thread", papi.unregister_thread);
  find("PAPI_event_name_to_code", papi.event_name_to_code);
  find("PAPI_set_domain", papi.set_domain);
  find("PAPI_create_eventset", papi.create_eventset);
  find("PAPI_add_event", papi.add_event);
  find("PAPI_start", papi.start);
  find("PAPI_read", papi.read);
  find("PAPI_stop", papi.stop);
  find("PAPI_cleanup_eventset", papi.cleanup_eventset);
  find("PAPI_destroy_eventset", papi.destroy_eventset);
  find("PAPI_strerror", papi.strerror);
  if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || papi.thread_init(&::pthread_self) != PAPI_OK) {
    throw std::runtime_error(name + " cannot be initialised");
  }
  return papi;
}

const Papi& papi() {
  static const Papi opened = open_papi();
  return opened;
}

// Guards PAPI's state of the whole process: its initialisation, and the domain of new event sets.
std::mutex& starting() {
  static std::mutex mutex;
  return mutex;
}

void drop(int& events) {
  papi().cleanup_eventset(events);
  papi().destroy_eventset(&events);
}

// Returns PAPI's error code, or PAPI_OK.
int start(int event, int domain, int& events) {
  events = PAPI_NULL;
  papi().set_domain(domain);
  int code = papi().create_eventset(&events);
  if (code == PAPI_OK) {
    code = papi().add_event(events, event);
  }
  if (code == PAPI_OK) {
    code = papi().start(events);
  }
  if (code != PAPI_OK) {
    drop(events);
  }
  return code;
}

}  // namespace

// The kernel's work for a rank counts, too, where the system allows counting it.
Counter::Counter(const std::string& event) {
  const std::lock_guard lock(starting());
  int code = papi().register_thread();  // without it the other functions crash
  int number = 0;
  if (code == PAPI_OK) {
    code = papi().event_name_to_code(event.c_str(), &number);
  }
  if (code == PAPI_OK) {
    code = start(number, PAPI_DOM_USER | PAPI_DOM_KERNEL, events_);
    if (code != PAPI_OK) {
      code = start(number, PAPI_DOM_USER, events_);
    }
  }
  if (code != PAPI_OK) {
    papi().unregister_thread();
    throw std::runtime_error(fmt::format("PAPI cannot count {}: {}", event, papi().strerror(code)));
  }
}

Counter::~Counter() {
  const std::lock_guard lock(starting());
  long long last = 0;
  papi().stop(events_, &last);
  drop(events_);
  papi().unregister_thread();
}

std::uint64_t Counter::read() const {
  static const auto papi_read = papi().read;
  long long count = 0;
  papi_read(events_, &count);
  return static_cast<std::uint64_t>(count);
}

}  // namespace meter
}  // namespace weft::runtime
