# Ranks that share a worker and wait, compute, or make processes without MPI.
weft_mpi_program(mpi_pauses C SOURCES programs/pauses.c FLAGS -pthread LIBS -pthread)
foreach(what token alone alarm threads)
  weft_mpi_test(mpi_pauses_${what} PROGRAM mpi_pauses RANKS 4 WORKERS 1 2 LB none rotate ARGS ${what} OPTIONS --migrate-at barrier PASS "all ranks went on"
    FAIL "WRONG")
  weft_mpi_test(mpi_pauses_${what}_processes PROGRAM mpi_pauses RANKS 5 WORKERS 1 2 ARGS ${what} OPTIONS --processes 2
    PASS "all ranks went on" FAIL "WRONG" LABELS "mpi;procs")
endforeach()
weft_mpi_test(mpi_pauses_continuous PROGRAM mpi_pauses RANKS 6 WORKERS 2 ARGS token OPTIONS --lb-continuous PASS "all ranks went on" FAIL "WRONG")
