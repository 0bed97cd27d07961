# Files that the executable carries: seamark_embed(TARGET NAMESPACE STEM FILE...) makes STEM.h, which declares for
# each FILE (a/b-c.js) `std::string_view NAMESPACE::b_c_js()`, when it is configured, and STEM.cc, remade whenever a
# file changes. Run with -P it is what makes STEM.cc.

function(seamark_embed target namespace stem)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/seamark/embedded)
  set(header "// Made by cmake/Embed.cmake.\n#pragma once\n\n#include <string_view>\n\nnamespace ${namespace} {\n")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file FILENAME name)
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND header "std::string_view ${name}();\n")
  endforeach()
  file(GENERATE OUTPUT ${out}/${stem}.h CONTENT "${header}}  // namespace ${namespace}\n")
  list(JOIN ARGN "|" files)
  add_custom_command(
    OUTPUT ${out}/${stem}.cc
    COMMAND ${CMAKE_COMMAND} -D "FILES=${files}" -D NAMESPACE=${namespace} -D OUT=${out}/${stem}
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    COMMENT "Embedding ${stem}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${stem}.cc ${out}/${stem}.h)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

cmake_path(GET OUT FILENAME stem)
set(source "// Made by cmake/Embed.cmake.\n#include \"seamark/embedded/${stem}.h\"\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} hex HEX)
  # Numbers, not a literal: a compiler need not take a literal beyond 64 KiB, and no text has to be quoted.
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND source "static constexpr unsigned char k_${name}[] = {${bytes}0};\n"
    "std::string_view ${name}() { return {reinterpret_cast<const char*>(k_${name}), sizeof(k_${name}) - 1}; }\n")
endforeach()
file(WRITE ${OUT}.cc "${source}}  // namespace ${NAMESPACE}\n")
