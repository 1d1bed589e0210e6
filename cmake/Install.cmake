# What an installation holds: bin, lib, include, share. Nothing in it knows its own place, so that the prefix can be moved.
include(CMakePackageConfigHelpers)

set(WEFT_GENERATED_DIR ${CMAKE_BINARY_DIR}/package)
foreach(module weft weft-fortran)
  configure_file(cmake/package/${module}.pc.in ${WEFT_GENERATED_DIR}/${module}.pc @ONLY)
endforeach()
write_basic_package_version_file(${WEFT_GENERATED_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)

set_target_properties(weftrun weftinfo PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib")
set_target_properties(mpi_abi mpifort_abi PROPERTIES INSTALL_RPATH "\$ORIGIN")
install(TARGETS weft weftrun weftinfo weftsim RUNTIME DESTINATION bin)
install(TARGETS mpi_abi mpifort_abi weft_rank LIBRARY DESTINATION lib)
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/weftcc ${CMAKE_BINARY_DIR}/bin/weftcxx ${CMAKE_BINARY_DIR}/bin/weftfort DESTINATION bin)
install(FILES ${CMAKE_BINARY_DIR}/lib/libweft_iterations.a DESTINATION lib)
install(DIRECTORY iterations DESTINATION share/weft # to be compiled for another MPI
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.h" PATTERN "*.f90")
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/mpi DESTINATION bin) # symbolic links to the above
install(FILES ${CMAKE_BINARY_DIR}/lib/weft/rank_start.o DESTINATION lib/weft)
install(PROGRAMS ${CMAKE_BINARY_DIR}/lib/weft/weftsim_probe DESTINATION lib/weft)
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/ DESTINATION include)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man1 DESTINATION share/man FILES_MATCHING PATTERN "*.1")
install(FILES README.md LICENSE DESTINATION share/doc/weft)
install(DIRECTORY docs DESTINATION share/doc/weft) # where README's links lead
install(FILES tests/README.md DESTINATION share/doc/weft/tests)
install(FILES bench/README.md DESTINATION share/doc/weft/bench)
install(FILES ${WEFT_GENERATED_DIR}/weft.pc ${WEFT_GENERATED_DIR}/weft-fortran.pc DESTINATION lib/pkgconfig)
install(FILES cmake/package/weft-config.cmake ${WEFT_GENERATED_DIR}/weft-config-version.cmake DESTINATION lib/cmake/weft)
if(EXISTS ${PROJECT_SOURCE_DIR}/tools/weft-gdb.py)
  install(FILES tools/weft-gdb.py DESTINATION share/weft)
endif()

# These are linked as any user's program, against the build tree.
install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/weft/weftsim_probe\"
  OLD_RPATH \"${CMAKE_BINARY_DIR}/lib\" NEW_RPATH \"\\\$ORIGIN/..\")")
if(TARGET ondes3d)
  install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/ondes3d\"
    OLD_RPATH \"${CMAKE_BINARY_DIR}/lib\" NEW_RPATH \"\\\$ORIGIN/../lib\")")
endif()
