# Debian packages by CPack, one for each group of components (`cpack -G DEB` in a build folder):
#
#   tc-tools     the programs, and the libraries that tc-emulate puts in place of CUDA's
#   libtc-dev    libraries, headers, TableGen files and the CMake package
#   python3-tc   the Python package for Debian's python3, with the libraries it needs (TC_PACKAGE_PYTHON)
#
# Included by the top CMakeLists.txt after everything has been installed.

option(TC_PACKAGE_PYTHON "Build the Debian package python3-tc (needs nanobind for Python3_EXECUTABLE)" OFF)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "tc maintainers <tc@localhost>")
set(CPACK_PACKAGE_VENDOR tc)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# LLVM, MLIR and the C++ library, with the versions that this build needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tc-tools)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
  "matrix multiplication in MLIR to PTX: tools\n tc-opt, tc-compile and others for Blackwell and Hopper, and an emulator of PTX.")
set(CPACK_COMPONENT_TC-TOOLS_GROUP tools)

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libtc-dev)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION
  "matrix multiplication in MLIR to PTX: libraries\n The compiler and the emulator of PTX for find_package(TC), in C++ and C.")
set(CPACK_COMPONENT_TC-DEV_GROUP libraries)
set(CPACK_COMPONENT_TC-EMULATOR_GROUP libraries)
# The CMake package of MLIR names its tools.
if(TC_BUILD_COMPILER)
  set(CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS "llvm-${LLVM_VERSION_MAJOR}-dev, libmlir-${LLVM_VERSION_MAJOR}-dev, mlir-${LLVM_VERSION_MAJOR}-tools")
endif()
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SUGGESTS tc-tools)

set(CPACK_COMPONENTS_ALL tc-tools tc-dev tc-emulator)
if(TC_PACKAGE_PYTHON)
  add_subdirectory(${PROJECT_SOURCE_DIR}/python python)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tc)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS tc-tools)
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "matrix multiplication in MLIR to PTX: Python\n Compile kernels, emulate them on numpy arrays, launch them on a GPU.")
  set(CPACK_COMPONENT_TC-PYTHON_GROUP python)
  list(APPEND CPACK_COMPONENTS_ALL tc-python)
endif()
include(CPack)
