# find_package(weft): weft::mpi for programs that a C, C++ or Fortran compiler links, weft::mpi_fortran for those of several languages
# that another than Fortran's links. Linking one of them makes an executable a
# program that weftrun can load once per rank. WEFT_RUN is the launcher.
get_filename_component(weft_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(WEFT_RUN "${weft_prefix}/bin/weftrun")

if(NOT TARGET weft::mpi)
  add_library(weft::mpi INTERFACE IMPORTED)
  set_target_properties(weft::mpi PROPERTIES
    INTERFACE_COMPILE_OPTIONS "-fPIC;-fno-semantic-interposition;-fcf-protection=none"
    INTERFACE_INCLUDE_DIRECTORIES "${weft_prefix}/include/weft/rank;${weft_prefix}/include"
    INTERFACE_LINK_OPTIONS "-Wl,${weft_prefix}/lib/weft/rank_start.o;-Wl,-shared,-Bsymbolic,--no-undefined,-z,now,--hash-style=gnu,--build-id,-e,weft_start"
    INTERFACE_LINK_LIBRARIES
      "$<$<LINK_LANGUAGE:Fortran>:${weft_prefix}/lib/libmpifort_abi.so.1>;${weft_prefix}/lib/libmpi_abi.so.1")

  add_library(weft::mpi_fortran INTERFACE IMPORTED)
  set_target_properties(weft::mpi_fortran PROPERTIES
    INTERFACE_LINK_LIBRARIES "${weft_prefix}/lib/libmpifort_abi.so.1;weft::mpi")
endif()
