# What `cmake --install` installs, in three components: tc-emulator (the emulator
# and the runtime, which know nothing of LLVM), tc-dev (libraries, headers and
# TableGen files of the compiler, and the CMake package) and tc-tools. The export
# sets are two, so that find_package(TC COMPONENTS Emulator) asks for no LLVM.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TC_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/tc)
# Programs and libraries find libTC beside them and LLVM where they were linked.
set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR} $ORIGIN)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# Builds what is installed, and no tests.
add_custom_target(tc-installed)

# An archive, or an interface, of one of the export sets.
function(tc_install_library name)
  cmake_parse_arguments(ARG "" "EXPORT" "" ${ARGN})
  set(component tc-dev)
  if(ARG_EXPORT STREQUAL TCEmulatorTargets)
    set(component tc-emulator)
  endif()
  install(TARGETS ${name} EXPORT ${ARG_EXPORT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY TC_EXPORTS ${ARG_EXPORT})
  add_dependencies(tc-installed ${name})
endfunction()

# Tools are found by TC_TOOLS_DIR, not as targets: the other components are complete
# without them.
function(tc_install_tool name)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tc-tools)
  add_dependencies(tc-installed ${name})
endfunction()

# Headers, the export sets and the package, of this build: called once, when all
# targets are there. The package of the build tree is in lib/cmake/tc of it.
function(tc_install_package)
  foreach(folder Emulator Runtime)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tc/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tc
      COMPONENT tc-emulator FILES_MATCHING PATTERN *.h)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/include/tc-c/Emulator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tc-c
    COMPONENT tc-emulator)
  if(TC_BUILD_COMPILER)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tc-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tc-dev
      FILES_MATCHING PATTERN *.h PATTERN Emulator.h EXCLUDE)
    foreach(tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
      install(DIRECTORY ${tree}/include/tc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tc-dev
        FILES_MATCHING PATTERN *.h PATTERN *.td PATTERN *.inc
        PATTERN CMakeFiles EXCLUDE PATTERN Emulator EXCLUDE PATTERN Runtime EXCLUDE)
    endforeach()
  endif()

  # bash looks for a file by the name of the command.
  foreach(tool tc-compile tc-opt tc-run tc-explain tc-emulate tc-reduce tc-tune tc-lsp-server)
    install(FILES ${PROJECT_SOURCE_DIR}/tools/completion/tc.bash DESTINATION share/bash-completion/completions
      RENAME ${tool} COMPONENT tc-tools)
  endforeach()

  get_property(exports GLOBAL PROPERTY TC_EXPORTS)
  list(REMOVE_DUPLICATES exports)
  foreach(export ${exports})
    set(component tc-dev)
    if(export STREQUAL TCEmulatorTargets)
      set(component tc-emulator)
    endif()
    install(EXPORT ${export} DESTINATION ${TC_INSTALL_CMAKEDIR} COMPONENT ${component})
    export(EXPORT ${export} FILE ${PROJECT_BINARY_DIR}/lib/cmake/tc/${export}.cmake)
  endforeach()

  set(config ${PROJECT_SOURCE_DIR}/cmake/TCConfig.cmake.in)
  set(version ${PROJECT_BINARY_DIR}/lib/cmake/tc/TCConfigVersion.cmake)
  # While the first number is 0, the second one may change interfaces.
  write_basic_package_version_file(${version} COMPATIBILITY SameMinorVersion)

  set(TC_CONFIG_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  set(TC_CONFIG_TOOLS_DIR ${PROJECT_BINARY_DIR}/bin)
  configure_package_config_file(${config} ${PROJECT_BINARY_DIR}/lib/cmake/tc/TCConfig.cmake
    INSTALL_DESTINATION ${PROJECT_BINARY_DIR}/lib/cmake/tc INSTALL_PREFIX ${PROJECT_BINARY_DIR}
    PATH_VARS TC_CONFIG_INCLUDE_DIRS TC_CONFIG_TOOLS_DIR)

  set(TC_CONFIG_INCLUDE_DIRS ${CMAKE_INSTALL_INCLUDEDIR})
  set(TC_CONFIG_TOOLS_DIR ${CMAKE_INSTALL_BINDIR})
  configure_package_config_file(${config} ${PROJECT_BINARY_DIR}/cmake/TCConfig.cmake
    INSTALL_DESTINATION ${TC_INSTALL_CMAKEDIR}
    PATH_VARS TC_CONFIG_INCLUDE_DIRS TC_CONFIG_TOOLS_DIR)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/TCConfig.cmake ${version}
    DESTINATION ${TC_INSTALL_CMAKEDIR} COMPONENT tc-emulator)
endfunction()
