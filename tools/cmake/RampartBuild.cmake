# SPDX-License-Identifier: Apache-2.0
# What every target has in common: language, warnings, where programs go, and rampart_module(), which
# makes one target per module. A module sees only the modules it names, so the links are the layering
# (docs/architecture.md).

option(RAMPART_TESTS "Build the tests" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include(GNUInstallDirs)

# The libraries, all of Debian bookworm. Found here, so that every module sees the same.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(LIBMNL REQUIRED IMPORTED_TARGET libmnl)

find_program(RAMPART_CCACHE ccache)
if(RAMPART_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${RAMPART_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RAMPART_CCACHE})
endif()

add_library(rampart_options INTERFACE)
target_compile_options(rampart_options INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor $<$<COMPILE_LANGUAGE:CXX>:-Wsuggest-override>)

# The contract with the kernel side: headers only.
add_library(rampart_include INTERFACE)
target_include_directories(rampart_include INTERFACE ${CMAKE_SOURCE_DIR}/include)

# rampart_module(NAME SOURCES a.cc b.cc USES module... LINKS library...)
# USES names the modules of this project that it may include, LINKS libraries from outside. Sources are
# included as "NAME/header.h".
function(rampart_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(rampart_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(rampart_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/..)
  target_link_libraries(rampart_${name} PRIVATE rampart_options)
  foreach(used ${MODULE_USES})
    target_link_libraries(rampart_${name} PUBLIC rampart_${used})
  endforeach()
  target_link_libraries(rampart_${name} PUBLIC ${MODULE_LINKS})
endfunction()
