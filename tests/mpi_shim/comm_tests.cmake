# State, errors, groups, communicators, attributes, info and topologies.
foreach(subject init errors group comm intercomm attributes info topology)
  weft_test(mpi_${subject} SOURCES ${subject}_test.cpp USES mpi_shim LABELS cluster)
endforeach()
foreach(subject carry_messages carry_objects)
  weft_test(mpi_${subject} SOURCES ${subject}_test.cpp USES mpi_shim LABELS cluster)
endforeach()
