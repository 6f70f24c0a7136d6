# Wrappers that keep every CMakeLists.txt of the project short.

set(TC_COMMON_FLAGS -Wall -Wextra -Wno-unused-parameter -fno-exceptions)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND TC_COMMON_FLAGS -Wno-ctad-maybe-unsupported)
endif()
if(TC_SANITIZE)
  string(REPLACE ";" "," _tc_sanitize "${TC_SANITIZE}")
  add_compile_options(-fsanitize=${_tc_sanitize} -fno-omit-frame-pointer -fno-sanitize-recover=all
                      -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizers.txt)
  add_link_options(-fsanitize=${_tc_sanitize})
endif()

find_program(TC_CCACHE ccache)
if(TC_CCACHE)
  # Precompiled headers are only cached with these two (ccache manual,
  # "Precompiled headers").
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_PCH_EXTSUM=1 ${TC_CCACHE})
endif()
# g++ knows lld by name only; clang takes the path of the versioned one.
find_program(TC_LLD NAMES ld.lld-22 ld.lld)
if(TC_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(--ld-path=${TC_LLD})
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without it the time stamp in a precompiled header defeats ccache.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
  # CMake's own value names the header, too, in a form whose path ccache keeps:
  # named like this, checkouts share ccache's entries.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# A precompiled header for others to reuse, from cmake/modules:
# add_tc_precompiled(NAME HEADER [DIALECTS] [FLAGS ...] [LINK_LIBS ...]). What ccache
# hashes for it is the file .sum beside it (PrecompiledSum.cmake), made before the
# header is compiled; DIALECTS: it includes the project's dialects.
function(add_tc_precompiled name header)
  cmake_parse_arguments(ARG "DIALECTS" "" "FLAGS;LINK_LIBS" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS} ${ARG_FLAGS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/modules)
  target_precompile_headers(${name} PRIVATE <${header}>)
  set(text "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} LLVM ${LLVM_PACKAGE_VERSION}"
      "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}${ARG_FLAGS} ${TC_SANITIZE} ${LLVM_DEFINITIONS_LIST}")
  set(sum ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx)
  set(script ${PROJECT_SOURCE_DIR}/cmake/modules/PrecompiledSum.cmake)
  set(values -DROOT=${PROJECT_SOURCE_DIR} "-DTEXT=${text}" -DDIALECTS=${ARG_DIALECTS})
  add_custom_target(${name}_sum
    COMMAND ${CMAKE_COMMAND} -DOUT=${sum}.pch.sum ${values} -P ${script}
    COMMAND ${CMAKE_COMMAND} -DOUT=${sum}.gch.sum ${values} -P ${script}
    VERBATIM)
  add_dependencies(${name} ${name}_sum)
  if(ARG_DIALECTS)
    add_dependencies(${name} tc-headers)
  endif()
endfunction()

# Emulator and runtime: results must not depend on whether the compiler fuses a
# multiplication and an addition of their own code.
set(TC_PLAIN_COMPILE_FLAGS -ffp-contract=off ${TC_PLAIN_FLAGS})
add_tc_precompiled(tc_pch_plain TCPrecompiledPlain.h FLAGS ${TC_PLAIN_COMPILE_FLAGS})

# The JSON library: a CMake package, or the folder given in TC_JSON_INCLUDE_DIR.
function(tc_find_json)
  add_library(tc_json INTERFACE)
  if(TC_JSON_INCLUDE_DIR)
    if(NOT EXISTS ${TC_JSON_INCLUDE_DIR}/nlohmann/json.hpp)
      message(FATAL_ERROR "TC_JSON_INCLUDE_DIR: expected nlohmann/json.hpp below ${TC_JSON_INCLUDE_DIR}")
    endif()
    target_include_directories(tc_json SYSTEM INTERFACE ${TC_JSON_INCLUDE_DIR})
  else()
    find_package(nlohmann_json QUIET)
    if(nlohmann_json_FOUND)
      target_link_libraries(tc_json INTERFACE nlohmann_json::nlohmann_json)
    else()
      find_path(_tc_json nlohmann/json.hpp)
      if(NOT _tc_json)
        message(FATAL_ERROR "nlohmann/json.hpp not found: install nlohmann-json3-dev or set TC_JSON_INCLUDE_DIR")
      endif()
      target_include_directories(tc_json SYSTEM INTERFACE ${_tc_json})
    endif()
  endif()
endfunction()

# A plain C++17 library without LLVM: emulator, runtime. INTERNAL: it is not
# installed. With FLAGS of its own it needs PRECOMPILED, a header of the same
# flags, or NONE.
function(add_tc_plain_library name)
  cmake_parse_arguments(ARG "INTERNAL" "PRECOMPILED" "SOURCES;LINK_LIBS;FLAGS" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED tc_pch_plain)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS} ${TC_PLAIN_COMPILE_FLAGS} ${ARG_FLAGS})
  if(NOT ARG_PRECOMPILED STREQUAL NONE)
    target_precompile_headers(${name} REUSE_FROM ${ARG_PRECOMPILED})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(NOT ARG_INTERNAL)
    tc_install_library(${name} EXPORT TCEmulatorTargets)
  endif()
endfunction()

# A library of the compiler. DEPENDS names TableGen targets; LINK_LIBS names
# libraries of this project (LLVM and MLIR come from the shared libraries).
# INTERNAL: it is neither installed nor a part of libTC. HOT: it computes for long,
# and is compiled without TC_COMPILER_FLAGS. BELOW_DIALECTS: what the dialects are
# made of, compiled without their precompiled headers.
function(add_tc_library name)
  cmake_parse_arguments(ARG "INTERNAL;HOT;BELOW_DIALECTS" "" "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC tc_mlir ${ARG_LINK_LIBS})
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS})
  if(NOT ARG_HOT)
    target_compile_options(${name} PRIVATE ${TC_COMPILER_FLAGS})
  endif()
  # Precompiled headers are of one optimisation level.
  if(NOT ARG_HOT OR NOT TC_COMPILER_FLAGS)
    if(ARG_BELOW_DIALECTS)
      target_precompile_headers(${name} REUSE_FROM tc_pch)
    else()
      target_precompile_headers(${name} REUSE_FROM tc_pch_dialects)
    endif()
  endif()
  add_dependencies(${name} tc-headers ${ARG_DEPENDS})
  if(NOT ARG_INTERNAL)
    tc_install_library(${name} EXPORT TCTargets)
    set_property(GLOBAL APPEND PROPERTY TC_LIBS ${name})
  endif()
endfunction()

function(add_tc_dialect_library name)
  add_tc_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TC_DIALECT_LIBS ${name})
endfunction()

function(add_tc_conversion_library name)
  add_tc_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TC_CONVERSION_LIBS ${name})
endfunction()

# A tool that links the shared MLIR and LLVM. INTERNAL: it is not installed.
function(add_tc_tool name)
  cmake_parse_arguments(ARG "INTERNAL" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} tc_mlir)
  # The precompiled headers are -fPIC, CMake would compile a program as -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS} ${TC_COMPILER_FLAGS} -fPIC)
  target_precompile_headers(${name} REUSE_FROM tc_pch_dialects)
  add_dependencies(${name} tc-headers)
  if(NOT ARG_INTERNAL)
    tc_install_tool(${name})
  endif()
endfunction()

# TableGen for one .td file. Outputs are `tablegen(...)` pairs, the target is
# added to the umbrella tc-headers, so that every library sees every header.
macro(add_tc_tablegen target)
  add_public_tablegen_target(${target})
  add_dependencies(tc-headers ${target})
endmacro()
