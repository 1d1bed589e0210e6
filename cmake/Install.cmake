# Installs bin, lib, include and share. No installed file contains the path of the installation, so that the prefix can be moved.
# Each file belongs to one component, which is one Debian package (Packages.cmake): runtime runs programs, dev builds them, ondes3d, doc.
include(CMakePackageConfigHelpers)

# Debian: programs, libraries and headers lie in a folder of Weft's own (decision 68), which is laid out as a prefix is.
option(WEFT_DEBIAN_LAYOUT "Install as Debian packages hold it, for the prefix /usr" OFF)
set(own "")
set(library_folder lib)
set(WEFT_FROM_PKGCONFIG ../..) # from weft.pc's folder to that of Weft; likewise from weft-config.cmake's
set(WEFT_FROM_CMAKE ../../..)
set(WEFT_FROM_MODULE ../../..)
set(WEFT_PREFIX_FROM_MODULE ../../..) # the prefix of all, which CMake searches
set(modules share/modulefiles)
set(zsh_functions share/zsh/site-functions)
if(WEFT_DEBIAN_LAYOUT)
  set(library_folder lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(own ${library_folder}/weft/)
  set(WEFT_FROM_PKGCONFIG ../weft)
  set(WEFT_FROM_CMAKE ../../weft)
  set(WEFT_PREFIX_FROM_MODULE ../../../..)
  set(WEFT_FROM_MODULE ${WEFT_PREFIX_FROM_MODULE}/${library_folder}/weft)
  set(modules share/modules/modulefiles) # where Debian's Environment Modules and Lmod look
  set(zsh_functions share/zsh/vendor-completions)
endif()
set(WEFT_PKGCONFIG_FROM_MODULE ${WEFT_PREFIX_FROM_MODULE}/${library_folder}/pkgconfig)

set(WEFT_GENERATED_DIR ${CMAKE_BINARY_DIR}/package)
foreach(file weft.pc weft-fortran.pc weft-config.cmake module.tcl)
  configure_file(cmake/package/${file}.in ${WEFT_GENERATED_DIR}/${file} @ONLY)
endforeach()
write_basic_package_version_file(${WEFT_GENERATED_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)

set_target_properties(weftrun weftinfo PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib")
set_target_properties(mpi_abi mpifort_abi PROPERTIES INSTALL_RPATH "\$ORIGIN")

# weft_install_program(<component> <path in Weft's folder> [RPATH <folder>])
# Installs a program that the build tree has at the same path. A program that is linked like a user's, against the build tree, needs RPATH:
# the installed one then finds its libraries there.
function(weft_install_program component path)
  cmake_parse_arguments(ARG "" "RPATH" "" ${ARGN})
  cmake_path(GET path PARENT_PATH folder)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/${path} DESTINATION ${own}${folder} COMPONENT ${component})
  if(ARG_RPATH)
    set(file "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${own}${path}")
    install(CODE "file(RPATH_CHANGE FILE \"${file}\" OLD_RPATH \"${CMAKE_BINARY_DIR}/lib\" NEW_RPATH \"\\\$ORIGIN/${ARG_RPATH}\")
      if(CMAKE_INSTALL_DO_STRIP)
        execute_process(COMMAND ${CMAKE_STRIP} \"${file}\" COMMAND_ERROR_IS_FATAL ANY)
      endif()" COMPONENT ${component})
  endif()
endfunction()

# weft_install_pages(<component> <page> ...): manual pages of section 1, compressed where Debian wants it.
function(weft_install_pages component)
  foreach(page ${ARGN})
    install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/${page}.1 DESTINATION share/man/man1 COMPONENT ${component})
    if(WEFT_DEBIAN_LAYOUT)
      install(CODE "execute_process(COMMAND gzip -9nf \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/${page}.1\"
        COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
    endif()
  endforeach()
endfunction()

# The component runtime
install(TARGETS weft weftrun weftinfo weftsim RUNTIME DESTINATION ${own}bin COMPONENT runtime)
install(TARGETS mpi_abi mpifort_abi weft_rank
  LIBRARY DESTINATION ${own}lib COMPONENT runtime NAMELINK_COMPONENT dev)
weft_install_program(runtime lib/weft/weftsim_probe RPATH ..)
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/mpi DESTINATION ${own}bin COMPONENT runtime # symbolic links to the above
  FILES_MATCHING PATTERN mpirun PATTERN mpiexec)
weft_install_pages(runtime weft weftrun weftinfo weftsim)
if(EXISTS ${PROJECT_SOURCE_DIR}/tools/weft-gdb.py)
  install(FILES tools/weft-gdb.py DESTINATION share/weft COMPONENT runtime)
endif()
install(FILES ${WEFT_GENERATED_DIR}/module.tcl DESTINATION ${modules}/weft RENAME ${PROJECT_VERSION} COMPONENT runtime)
foreach(program weft weftrun weftinfo weftsim)
  install(FILES ${CMAKE_BINARY_DIR}/share/bash-completion/completions/${program} DESTINATION share/bash-completion/completions
    COMPONENT runtime)
  install(FILES ${CMAKE_BINARY_DIR}/share/zsh/site-functions/_${program} DESTINATION ${zsh_functions} COMPONENT runtime)
endforeach()
# A recording of ondes3d (the case of apps/ondes3d/cases, 16 ranks, 16 steps) and a machine to replay it on.
install(DIRECTORY tools/weftsim/examples DESTINATION share/weft COMPONENT runtime)

# The component dev
foreach(wrapper weftcc weftcxx weftfort)
  weft_install_program(dev bin/${wrapper})
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/bin/mpi DESTINATION ${own}bin COMPONENT dev
  PATTERN mpirun EXCLUDE PATTERN mpiexec EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/lib/libweft_iterations.a DESTINATION ${own}lib COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/lib/weft/rank_start.o DESTINATION ${own}lib/weft COMPONENT dev)
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/ DESTINATION ${own}include COMPONENT dev)
install(FILES ${WEFT_GENERATED_DIR}/weft.pc ${WEFT_GENERATED_DIR}/weft-fortran.pc DESTINATION ${library_folder}/pkgconfig COMPONENT dev)
install(FILES ${WEFT_GENERATED_DIR}/weft-config.cmake ${WEFT_GENERATED_DIR}/weft-config-version.cmake
  DESTINATION ${library_folder}/cmake/weft COMPONENT dev)
install(DIRECTORY iterations DESTINATION share/weft COMPONENT dev # to be compiled for another MPI
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.h" PATTERN "*.f90")
install(FILES tests/tools/programs/hello.c tests/tools/programs/hello.f90 DESTINATION share/weft/examples COMPONENT dev)
install(FILES apps/jacobi2d/main.cpp apps/jacobi2d/README.md DESTINATION share/weft/examples/jacobi2d COMPONENT dev)
weft_install_pages(dev weftcc weftcxx weftfort)

# The component ondes3d
if(TARGET ondes3d)
  weft_install_program(ondes3d bin/ondes3d RPATH ../lib)
  install(DIRECTORY apps/ondes3d/cases DESTINATION share/weft/ondes3d COMPONENT ondes3d)
  weft_install_pages(ondes3d ondes3d)
endif()
if(TARGET ondes3d_pictures)
  install(TARGETS ondes3d_pictures RUNTIME DESTINATION ${own}bin COMPONENT ondes3d)
  weft_install_pages(ondes3d ondes3d-pictures)
endif()

# The component doc
install(DIRECTORY docs DESTINATION share/doc/weft COMPONENT doc) # where README's links lead
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man3 DESTINATION share/man COMPONENT doc) # a page for each MPI function
if(WEFT_DEBIAN_LAYOUT)
  install(CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man3/*.3weft\")
    execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT doc)
endif()
install(FILES tests/README.md DESTINATION share/doc/weft/tests COMPONENT doc)
install(FILES bench/README.md DESTINATION share/doc/weft/bench COMPONENT doc)
if(NOT WEFT_DEBIAN_LAYOUT)
  weft_install_pages(runtime mpirun mpiexec) # Debian's alternatives give weftrun's these names
  file(READ README.md readme)
  string(REPLACE "tests/tools/programs/hello.c -o" "<prefix>/share/weft/examples/hello.c -o" readme "${readme}")
  file(WRITE ${WEFT_GENERATED_DIR}/README.md "${readme}")
  install(FILES ${WEFT_GENERATED_DIR}/README.md LICENSE DESTINATION share/doc/weft COMPONENT doc)
endif()

include(Packages)
