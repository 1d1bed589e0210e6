// What the shim's files offer each other at the rank's start, end and moves.
#pragma once

#include <stddef.h>

namespace weft::shim {

void start_heap();  // malloc.cpp
// malloc.cpp: where the rank's addresses end; where the heap's blocks do; all between there and `to` as a block, or
// null; where the heap may end from now on, false where it needs more.
char* heap_limit();
char* heap_top();
char* take_heap_to(char* to);
bool end_heap_at(char* end);
void start_environment();  // environment.cpp: copies the process's environment
void start_streams();      // streams.cpp: stdin, stdout, stderr
void flush_streams();
void rebind_streams();  // to the process that the rank has come to
void lock_streams();    // from now on, threads may share them

int flush_files();        // files.cpp: all streams that the rank opened; EOF if one fails
void close_holdings();    // files.cpp: flushes streams and closes what the rank left open. Threads must be gone.
void lock_own_streams();  // file_streams.cpp: from now on, threads may share them

void run_thread_destructors();  // threads.cpp: thread_local objects of the calling thread
bool has_threads();             // threads.cpp: some that the rank made have not ended
void forget_threads();          // threads.cpp: the rank ends or leaves; when its threads end nothing is cleaned up
void leave_teams();             // threads.cpp: after a move; OpenMP's teams have other threads here

// mappings.cpp: why the rank cannot go elsewhere with its memory, or null; valid until it runs.
const char* why_mappings_stay(bool several_hosts);
void note_lock(int descriptor);  // mappings.cpp: it locks its file

void close_carried_files();  // carried_files.cpp: where the rank has left the process

bool is_forked_child();  // fork.cpp

void name_program(const char* path);  // messages.cpp: what err() and getopt's like put in front

void restore_signal_handlers();  // signals.cpp: in the process that the rank has come to
bool in_signal_handler();        // of the rank's, on its own stack
void leave_signal_handlers();    // by longjmp

}  // namespace weft::shim
