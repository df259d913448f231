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
find_package(OpenSSL REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(LIBMNL REQUIRED IMPORTED_TARGET libmnl)

find_program(RAMPART_BPF_CLANG NAMES clang-14 clang REQUIRED)
find_program(RAMPART_BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)

find_program(RAMPART_CCACHE ccache)
if(RAMPART_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${RAMPART_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RAMPART_CCACHE})
endif()

add_library(rampart_options INTERFACE)
target_compile_options(rampart_options INTERFACE
  -Wall -Wextra -Werror -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Wsuggest-override>)

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

# rampart_bpf_skeleton(TARGET SOURCE x.bpf.c STRUCT name [TYPES header] [FIRST folder] [OPTIONS option...])
# Compiles a packet program for the kernel's machine: x.bpf.c -> x.bpf.o -> x.skel.h, the skeleton by which
# it is opened, sized and loaded. Who links TARGET may include "x.skel.h" and finds `struct name` there.
# TYPES is the header of the structs of its global variables: the skeleton names them without defining them.
# FIRST is looked into before the project's own headers. OPTIONS are the compiler's, beyond the usual ones.
function(rampart_bpf_skeleton target)
  cmake_parse_arguments(B "" "SOURCE;STRUCT;TYPES;FIRST" "OPTIONS" ${ARGN})
  get_filename_component(stem ${B_SOURCE} NAME)
  string(REGEX REPLACE "[.]bpf[.]c$" "" stem ${stem})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.bpf.o)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/skeletons)
  set(skeleton ${folder}/${stem}.skel.h)
  set(first_line "// of ${B_SOURCE}")
  if(B_TYPES)
    set(first_line "#include \"${B_TYPES}\"")
  endif()
  set(first)
  if(B_FIRST)
    set(first -I${B_FIRST})
  endif()
  file(MAKE_DIRECTORY ${folder})

  add_custom_command(OUTPUT ${object}
    COMMAND ${RAMPART_BPF_CLANG} -target bpf -mcpu=v3 -std=gnu11 -O2 -g -Wall -Wextra -Werror
      ${B_OPTIONS} ${first} -I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/include
      -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
      -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${B_SOURCE} -o ${object}
    DEPENDS ${B_SOURCE}
    DEPFILE ${object}.d
    COMMENT "Compiling ${B_SOURCE}"
    VERBATIM)
  add_custom_command(OUTPUT ${skeleton}
    COMMAND ${CMAKE_COMMAND} -E echo ${first_line} > ${skeleton}.new
    COMMAND ${RAMPART_BPFTOOL} gen skeleton ${object} name ${B_STRUCT} >> ${skeleton}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${skeleton}.new ${skeleton}
    DEPENDS ${object}
    COMMENT "Generating the skeleton of ${B_SOURCE}"
    VERBATIM)
  add_custom_target(${target}_build DEPENDS ${object} ${skeleton})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_build)
  target_include_directories(${target} SYSTEM INTERFACE ${folder})
  target_link_libraries(${target} INTERFACE rampart_include PkgConfig::LIBBPF)
endfunction()
