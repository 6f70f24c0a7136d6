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
# installed.
function(add_tc_plain_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS})
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
