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
find_package(MLIR CONFIG QUIET)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "expected MLIR 22, got none: Debian's packages are libmlir-22-dev, mlir-22-tools and llvm-22-dev (scripts/setup), "
    "another one is -DMLIR_DIR=PREFIX/lib/cmake/mlir; without it the emulator builds with -DTC_BUILD_COMPILER=OFF, and the Python "
    "package with pip install . --config-settings=cmake.define.TC_PYTHON_COMPILER=OFF")
endif()
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

# MLIR alone, for the dialects; and with them, for what is above.
add_tc_precompiled(tc_pch TCPrecompiled.h FLAGS ${TC_COMPILER_FLAGS} LINK_LIBS tc_mlir)
add_tc_precompiled(tc_pch_dialects TCPrecompiledDialects.h DIALECTS FLAGS ${TC_COMPILER_FLAGS} LINK_LIBS tc_mlir)
