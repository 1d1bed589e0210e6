// Functions of the shim's files that run when a rank starts, ends or moves.
#pragma once

#include <stddef.h>

namespace weft::shim {

void start_heap();  // malloc.cpp
// malloc.cpp. heap_limit(): the end of the rank's addresses. heap_top(): the end of the heap's blocks. take_heap_to():
// allocates everything between the top and `to` as one block, or null. end_heap_at(): limits the heap to `end`; false
// where it needs more.
char* heap_limit();
char* heap_top();
char* take_heap_to(char* to);
bool end_heap_at(char* end);
void start_environment();  // environment.cpp: copies the process's environment
void start_streams();      // streams.cpp: stdin, stdout, stderr
void flush_streams();
void rebind_streams();  // in the process to which the rank has moved
void lock_streams();    // from now on, threads may share them

int flush_files();            // files.cpp: all streams that the rank opened; EOF if one fails
void close_held_resources();  // files.cpp: flushes streams and closes what the rank left open; no thread may use it now
void lock_own_streams();      // file_streams.cpp: from now on, threads may share them

void run_thread_destructors();  // threads.cpp: thread_local objects of the calling thread
bool has_threads();             // threads.cpp: some of the rank's own, or with thread-local state here, have not ended
void forget_threads();          // threads.cpp: the rank ends or leaves; nothing is cleaned up when its threads end
void leave_teams();             // threads.cpp: after a move; OpenMP's teams have other threads here

// mappings.cpp: why the rank cannot move with what it has mapped, or null; valid until it runs.
const char* why_mappings_stay(bool several_hosts);
void note_lock(int descriptor);  // mappings.cpp: the descriptor locks its file

void close_carried_files();  // carried_files.cpp: in the process that the rank has left

bool is_forked_child();  // fork.cpp

void name_program(const char* path);  // messages.cpp: the name that err(), getopt() and others print

void restore_signal_handlers();  // signals.cpp: in the process to which the rank has moved
bool in_signal_handler();        // whether a handler of the rank runs on the rank's own stack
// Called before a jump to this stack pointer, or before the rank ends (null): ends the handlers whose frames it leaves,
// and restores the signal mask that the thread had before them.
void leave_signal_handlers(const void* target);

}  // namespace weft::shim
