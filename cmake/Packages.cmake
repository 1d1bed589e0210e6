# Packages of what Install.cmake installs: a tarball that may be unpacked anywhere or, with WEFT_DEBIAN_LAYOUT, one Debian package for each
# component. tools/packages.sh makes both. Decision 68 has the reasons.
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Weft authors <weft@localhost>" CACHE STRING "Who answers for packages: name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_FILE_NAME weft-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES YES)
set(CPACK_VERBATIM_VARIABLES YES)
set(CPACK_COMPONENTS_ALL runtime dev ondes3d doc)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)
if(NOT WEFT_DEBIAN_LAYOUT)
  include(CPack)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL YES)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE weft)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION YES)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
string(REGEX MATCH "^[0-9]+" fortran_version ${CMAKE_Fortran_COMPILER_VERSION})
set(fortran_modules 15) # which of gfortran's formats of .mod files: Debian has a virtual package for each
if(fortran_version GREATER_EQUAL 15)
  set(fortran_modules 16)
endif()

# Files that every Debian package has.
set(debian ${WEFT_GENERATED_DIR}/debian)
string(TIMESTAMP WEFT_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH counts
configure_file(cmake/package/debian/changelog.in ${debian}/changelog @ONLY)
execute_process(COMMAND gzip -9nc ${debian}/changelog OUTPUT_FILE ${debian}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS LICENSE licence)
list(SUBLIST licence 4 -1 licence) # behind its name and the line of copyright
list(TRANSFORM licence PREPEND " ")
list(TRANSFORM licence REPLACE "^ $" " .")
list(JOIN licence "\n" WEFT_LICENCE)
configure_file(cmake/package/debian/copyright.in ${debian}/copyright @ONLY)

# weft_debian_package(<component> <package> SECTION <section> SUMMARY <line> DESCRIPTION <text> [DEPENDS|RECOMMENDS|SUGGESTS <packages>]
#                     [PROGRAMS program ...] [ANY_ARCHITECTURE])
# PROGRAMS get symbolic links in /usr/bin. Of the folder cmake/package/debian the package has <package>.postinst, .prerm, .overrides.
function(weft_debian_package component package)
  cmake_parse_arguments(ARG "ANY_ARCHITECTURE" "SECTION;SUMMARY;DESCRIPTION;DEPENDS;RECOMMENDS;SUGGESTS" "PROGRAMS" ${ARGN})
  string(TOUPPER ${component} upper)
  macro(set_field name value)
    set(CPACK_DEBIAN_${upper}_${name} "${value}" PARENT_SCOPE)
  endmacro()
  set_field(PACKAGE_NAME ${package})
  set_field(PACKAGE_SECTION ${ARG_SECTION})
  set_field(DESCRIPTION "${ARG_SUMMARY}\n${ARG_DESCRIPTION}")
  set_field(PACKAGE_DEPENDS "${ARG_DEPENDS}")
  set_field(PACKAGE_RECOMMENDS "${ARG_RECOMMENDS}")
  set_field(PACKAGE_SUGGESTS "${ARG_SUGGESTS}")
  if(ARG_ANY_ARCHITECTURE)
    set_field(PACKAGE_ARCHITECTURE all)
  else()
    set_field(PACKAGE_SHLIBDEPS YES)
  endif()

  foreach(program ${ARG_PROGRAMS})
    file(MAKE_DIRECTORY ${debian}/bin)
    file(CREATE_LINK ../${own}bin/${program} ${debian}/bin/${program} SYMBOLIC)
    install(FILES ${debian}/bin/${program} DESTINATION bin COMPONENT ${component})
  endforeach()
  install(FILES ${debian}/copyright ${debian}/changelog.Debian.gz DESTINATION share/doc/${package} COMPONENT ${component})
  set(own_files ${PROJECT_SOURCE_DIR}/cmake/package/debian/${package})
  file(READ ${PROJECT_SOURCE_DIR}/cmake/package/debian/overrides overrides)
  if(EXISTS ${own_files}.overrides)
    file(READ ${own_files}.overrides more)
    string(APPEND overrides "${more}")
  endif()
  file(WRITE ${debian}/overrides/${package} "${overrides}")
  install(FILES ${debian}/overrides/${package} DESTINATION share/lintian/overrides COMPONENT ${component})
  set(scripts "")
  foreach(script postinst prerm)
    if(EXISTS ${own_files}.${script})
      configure_file(${own_files}.${script} ${debian}/${package}/${script} COPYONLY)
      list(APPEND scripts ${debian}/${package}/${script})
    endif()
  endforeach()
  set_field(PACKAGE_CONTROL_EXTRA "${scripts}")
endfunction()

weft_debian_package(runtime weft SECTION net PROGRAMS weft weftrun weftinfo weftsim
  SUMMARY "MPI with more ranks than cores, which can move while they run"
  DESCRIPTION "Weft is an implementation of MPI that runs many ranks on each core as user-
level threads with globals of their own, and moves them between cores and
processes to balance the load. Programs are compiled again, their sources
unchanged.

This package runs programs: the launcher weftrun, which can be mpirun, the
libraries, and the tools weft, weftinfo and weftsim."
  RECOMMENDS "binutils, libfabric1" SUGGESTS "gdb, openssh-client, weft-dev, weft-doc")

weft_debian_package(dev weft-dev SECTION devel PROGRAMS weftcc weftcxx weftfort
  SUMMARY "Compiler wrappers and headers of Weft, an implementation of MPI"
  DESCRIPTION "Weft is an implementation of MPI that runs many ranks on each core as user-
level threads with globals of their own, and moves them to balance the load.

This package builds programs: the wrappers weftcc, weftcxx and weftfort, which
can be mpicc, mpicxx and mpifort, headers, Fortran modules, and what pkg-
config and CMake need to find them."
  DEPENDS "weft ${same_version}, gcc, g++, libc6-dev, gfortran | fortran-compiler, gfortran-${fortran_version} | gfortran-mod-${fortran_modules}"
  SUGGESTS "weft-doc, cmake, pkg-config")

if(TARGET ondes3d)
  weft_debian_package(ondes3d weft-ondes3d SECTION science PROGRAMS ondes3d ondes3d-pictures
    SUMMARY "Simulation of seismic waves by finite differences, on Weft"
    DESCRIPTION "Ondes3D computes how waves of an earthquake travel through the ground, in
three dimensions and with attenuation, and draws seismograms and maps. It runs
on Weft, which balances its load.

This package has the program, the program that draws, and an example."
    DEPENDS "weft ${same_version}" RECOMMENDS fonts-dejavu-core SUGGESTS ffmpeg)
else()
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL ondes3d)
endif()

weft_debian_package(doc weft-doc SECTION doc ANY_ARCHITECTURE
  SUMMARY "Documentation of Weft, an implementation of MPI"
  DESCRIPTION "Weft is an implementation of MPI that runs many ranks on each core as user-
level threads with globals of their own, and moves them to balance the load.

This package has the guide for users, the table of all options, how Weft is
built inside, and measurements.")
file(READ README.md readme) # whose licence is the package's file
string(REPLACE "(LICENSE)" "(../weft-doc/copyright)" readme "${readme}")
string(REPLACE "tests/tools/programs/hello.c -o" "/usr/share/weft/examples/hello.c -o" readme "${readme}")
file(WRITE ${debian}/README.md "${readme}")
install(FILES ${debian}/README.md DESTINATION share/doc/weft COMPONENT doc)
include(CPack)
