# Flags that the whole build shares. Everything here must come before the first target.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # What ccache asks for before it caches what uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  endif()
endif()

# -O3 costs compile time and gains nothing here: the work is done by the frameworks.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(seamark_options INTERFACE)
target_compile_options(seamark_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${SEAMARK_WERROR}>:-Werror>)

# False alarms of g++ 12 on joined strings (GCC bug 105651), two of them where sources are joined and optimized.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(seamark_options INTERFACE -Wno-restrict)
  if(CMAKE_UNITY_BUILD)
    target_compile_options(seamark_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()

# Sources joined eight at a time (CMAKE_UNITY_BUILD, by sanitizers and CI) take g++ a third of the work. What
# one of them calls by a name of its own may then hide another's, or lie in a type that another uses: no fault.
if(CMAKE_UNITY_BUILD)
  target_compile_options(seamark_options INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# clang blames the caller of std::stable_sort for a function that libstdc++ itself calls and has deprecated.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(seamark_options INTERFACE -Wno-deprecated-declarations)
endif()

# Coloured diagnostics although Ninja's pipe is no terminal; NO_COLOR still wins.
if(NOT DEFINED CMAKE_COLOR_DIAGNOSTICS AND NOT DEFINED ENV{NO_COLOR} AND NOT DEFINED ENV{CI})
  set(CMAKE_COLOR_DIAGNOSTICS ON)
endif()

if(SEAMARK_SANITIZE)
  # Line tables are enough for a sanitizer's stack; optimized, the sanitizers' code takes g++ twice as long.
  if(SEAMARK_FUZZ)
    add_compile_options(-O1)
  else()
    add_compile_options(-O0)
  endif()
  add_compile_options(-g1 -fno-omit-frame-pointer -fsanitize=${SEAMARK_SANITIZE})
  add_link_options(-fsanitize=${SEAMARK_SANITIZE})
  if(SEAMARK_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    # A third of g++'s work, for what ASan stops as well or the fuzz build's clang checks.
    if(NOT SEAMARK_FUZZ)
      add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
    endif()
  endif()
  # g++ takes the sanitizers' own branches for uses of what was never set.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(seamark_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(SEAMARK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SEAMARK_FUZZ needs clang (it brings libFuzzer); this is "
                        "${CMAKE_CXX_COMPILER_ID}. Configure with: cmake --preset fuzz")
  endif()
  # Every room is instrumented for coverage; only the fuzz targets link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(SEAMARK_COVERAGE)
  add_compile_options(-O0 -g1 --coverage)
  add_link_options(--coverage)
endif()

# Parsing what most sources include is a third of the work of compiling them. seamark_precompiled(NAME HEADER...) is
# a target that does it once; what has the same flags uses it by seamark_use_precompiled(TARGET NAME). Sources still
# include what they need: clang-tidy reads them without this.
set(seamark_common_headers
  <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <optional> <set>
  <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
# Of clang only the fuzz build is made, whose commands clang-tidy reads.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SEAMARK_PRECOMPILE OFF)
endif()
function(seamark_precompiled name)
  file(CONFIGURE OUTPUT ${name}.cc CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
function(seamark_use_precompiled target name)
  if(SEAMARK_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # shows ccache what is used
  endif()
endfunction()
