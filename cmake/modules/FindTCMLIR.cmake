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

file(WRITE ${PROJECT_BINARY_DIR}/tc_pch.cpp "")
add_library(tc_pch STATIC ${PROJECT_BINARY_DIR}/tc_pch.cpp)
target_link_libraries(tc_pch PUBLIC tc_mlir)
target_compile_options(tc_pch PRIVATE ${TC_COMMON_FLAGS} ${TC_COMPILER_FLAGS})
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without it the time stamp in the precompiled header defeats ccache.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
  target_compile_options(tc_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endif()
# Named without the path of the checkout, so that checkouts share ccache's entries:
# what ccache hashes for the precompiled header is the file .sum, because the
# header itself holds paths.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # CMake's own value names the header, too, in a form whose path ccache keeps.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()
target_include_directories(tc_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/modules)
target_precompile_headers(tc_pch PRIVATE <TCPrecompiled.h>)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/modules/TCPrecompiled.h)
file(SHA256 ${PROJECT_SOURCE_DIR}/cmake/modules/TCPrecompiled.h _tc_pch_sum)
string(APPEND _tc_pch_sum " ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} LLVM ${LLVM_PACKAGE_VERSION}"
  " ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS}${TC_COMPILER_FLAGS} ${TC_SANITIZE} ${LLVM_DEFINITIONS_LIST}")
foreach(_tc_header cmake_pch.hxx.pch cmake_pch.hxx.gch)
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/tc_pch.dir/${_tc_header}.sum "${_tc_pch_sum}\n")
endforeach()
