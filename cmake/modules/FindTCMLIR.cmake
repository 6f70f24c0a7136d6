# Finds LLVM and MLIR 22 and defines tc_mlir (include paths, flags, the shared
# libraries) and tc_pch (the precompiled MLIR headers).

if(NOT MLIR_DIR)
  find_program(TC_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
  if(TC_LLVM_CONFIG)
    execute_process(COMMAND ${TC_LLVM_CONFIG} --cmakedir OUTPUT_VARIABLE _cmakedir OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(MLIR_DIR ${_cmakedir}/../mlir ABSOLUTE)
  endif()
endif()
# No version is asked for: MLIR's version file refuses every request for "22".
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "expected LLVM 22, got ${LLVM_VERSION_MAJOR} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_custom_target(tc-headers)
add_custom_target(tc-doc)

add_library(tc_mlir INTERFACE)
# An installed tc_mlir gets its folders from TCConfig.cmake.
target_include_directories(tc_mlir INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
target_include_directories(tc_mlir SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
target_compile_definitions(tc_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(tc_mlir INTERFACE MLIR LLVM)
tc_install_library(tc_mlir EXPORT TCTargets)
# mlir-tblgen looks in these folders.
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without it the time stamp in a precompiled header defeats ccache.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
  # CMake's own value names the header, too, in a form whose path ccache keeps:
  # named like this, checkouts share ccache's entries.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# A precompiled header for others to reuse: add_tc_precompiled(NAME HEADER [DIALECTS]).
# What ccache hashes for it is the file .sum beside it (PrecompiledSum.cmake), made
# before the header is compiled.
function(add_tc_precompiled name header)
  cmake_parse_arguments(ARG "DIALECTS" "" "" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC tc_mlir)
  target_compile_options(${name} PRIVATE ${TC_COMMON_FLAGS} ${TC_COMPILER_FLAGS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/modules)
  target_precompile_headers(${name} PRIVATE <${header}>)
  set(text "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} LLVM ${LLVM_PACKAGE_VERSION}"
      "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}${TC_COMPILER_FLAGS} ${TC_SANITIZE} ${LLVM_DEFINITIONS_LIST}")
  set(sum ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx)
  add_custom_target(${name}_sum
    COMMAND ${CMAKE_COMMAND} -DOUT=${sum}.pch.sum -DROOT=${PROJECT_SOURCE_DIR} "-DTEXT=${text}" -DDIALECTS=${ARG_DIALECTS}
            -P ${PROJECT_SOURCE_DIR}/cmake/modules/PrecompiledSum.cmake
    COMMAND ${CMAKE_COMMAND} -DOUT=${sum}.gch.sum -DROOT=${PROJECT_SOURCE_DIR} "-DTEXT=${text}" -DDIALECTS=${ARG_DIALECTS}
            -P ${PROJECT_SOURCE_DIR}/cmake/modules/PrecompiledSum.cmake
    VERBATIM)
  add_dependencies(${name} ${name}_sum)
  if(ARG_DIALECTS)
    add_dependencies(${name} tc-headers)
  endif()
endfunction()

# MLIR alone, for the dialects; and with them, for what is above.
add_tc_precompiled(tc_pch TCPrecompiled.h)
add_tc_precompiled(tc_pch_dialects TCPrecompiledDialects.h DIALECTS)
