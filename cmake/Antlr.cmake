# ANTLR: the tool that reads grammar/Tessera.g4 and the runtime that the generated parser links to.
#
# The two must agree on the format of the automaton that the tool writes into the generated code. Version numbers do not
# tell (4.7.2 and 4.9 agree, 4.9.2 and 4.10 do not), so a tiny grammar is generated, built and run once per build
# directory; what it said is cached.

find_program(TESSERA_ANTLR_TOOL NAMES antlr4 antlr4-tool DOC "ANTLR's parser generator")
find_package(antlr4-runtime CONFIG QUIET)

set(TESSERA_ANTLR_REMEDY
    "On Debian 12: apt install antlr4 libantlr4-runtime-dev. Elsewhere take tool and runtime of one ANTLR release "
    "(antlr-X.Y.Z-complete.jar and antlr4-cpp-runtime-X.Y.Z) and name the tool with -DTESSERA_ANTLR_TOOL=/path/to/antlr4.")
string(CONCAT TESSERA_ANTLR_REMEDY ${TESSERA_ANTLR_REMEDY})

# A release brings the parser that was made of its grammar, and needs no tool.
set(TESSERA_ANTLR_SHIPPED "${PROJECT_SOURCE_DIR}/grammar/generated")
if(NOT EXISTS "${TESSERA_ANTLR_SHIPPED}/tessera_grammar/TesseraParser.cpp")
  set(TESSERA_ANTLR_SHIPPED)
endif()

if(NOT TESSERA_ANTLR_TOOL AND NOT TESSERA_ANTLR_SHIPPED)
  message(FATAL_ERROR "ANTLR's tool (the program antlr4) was not found. ${TESSERA_ANTLR_REMEDY}")
endif()
if(NOT antlr4-runtime_FOUND)
  message(FATAL_ERROR "ANTLR's C++ runtime (the CMake package antlr4-runtime) was not found. ${TESSERA_ANTLR_REMEDY}")
endif()

# The package's own targets name no include directories.
set(TESSERA_ANTLR_LIBRARY antlr4_shared)
if(NOT TARGET antlr4_shared)
  set(TESSERA_ANTLR_LIBRARY antlr4_static)
endif()
if(NOT TARGET tessera_antlr_runtime)
  add_library(tessera_antlr_runtime INTERFACE)
  target_include_directories(tessera_antlr_runtime SYSTEM INTERFACE "${ANTLR4_INCLUDE_DIR}")
  target_link_libraries(tessera_antlr_runtime INTERFACE "${TESSERA_ANTLR_LIBRARY}")
endif()

# tessera_antlr_generate(GRAMMAR DIRECTORY PACKAGE): runs the tool now and stops if it cannot.
function(tessera_antlr_generate grammar directory package)
  get_filename_component(folder "${grammar}" DIRECTORY)
  get_filename_component(file "${grammar}" NAME)
  execute_process(
    COMMAND "${TESSERA_ANTLR_TOOL}" -Dlanguage=Cpp -no-listener -no-visitor -package "${package}" -o "${directory}" "${file}"
    WORKING_DIRECTORY "${folder}" RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "ANTLR's tool ${TESSERA_ANTLR_TOOL} failed on ${grammar}:\n${said}\n${TESSERA_ANTLR_REMEDY}")
  endif()
endfunction()

# The first number of the automaton in a generated file: the format the tool writes.
function(tessera_antlr_tool_format generated result)
  file(READ "${generated}" text)
  set(${result} "unknown" PARENT_SCOPE)
  if(text MATCHES "erializedATN[^{;]*[{][^0-9]*(0x[0-9a-fA-F]+|[0-9]+)")
    math(EXPR format "${CMAKE_MATCH_1}")
    set(${result} "${format}" PARENT_SCOPE)
  endif()
endfunction()

# The format the runtime reads, as its header says.
function(tessera_antlr_runtime_format result)
  set(${result} "unknown" PARENT_SCOPE)
  foreach(header atn/ATNDeserializer.h atn/SerializedATNView.h)
    if(EXISTS "${ANTLR4_INCLUDE_DIR}/${header}")
      file(READ "${ANTLR4_INCLUDE_DIR}/${header}" text)
      if(text MATCHES "SERIALIZED_VERSION *= *([0-9]+)")
        set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# Stops with both names, both formats and the remedy.
function(tessera_antlr_refuse generated why)
  tessera_antlr_tool_format("${generated}" tool_format)
  tessera_antlr_runtime_format(runtime_format)
  execute_process(COMMAND "${TESSERA_ANTLR_TOOL}" OUTPUT_VARIABLE banner ERROR_VARIABLE banner)
  string(REGEX MATCH "Version [0-9.]+" tool_version "${banner}")
  message(FATAL_ERROR
    "ANTLR's tool and runtime do not work together.\n"
    "  tool:    ${TESSERA_ANTLR_TOOL} (${tool_version}) writes automata in format ${tool_format}\n"
    "  runtime: ${ANTLR4_INCLUDE_DIR} (version ${ANTLR_VERSION}) reads format ${runtime_format}\n"
    "${TESSERA_ANTLR_REMEDY}\n"
    "What happened:\n${why}")
endfunction()

# Generates, builds and runs a three-line grammar; says nothing if that works, as it does from the second time on.
function(tessera_antlr_probe)
  set(asked "${TESSERA_ANTLR_TOOL};${ANTLR4_INCLUDE_DIR};${ANTLR_VERSION};${CMAKE_CXX_COMPILER};${CMAKE_CXX_FLAGS}")
  if("${TESSERA_ANTLR_PROBED}" STREQUAL "${asked}")
    return()
  endif()
  message(STATUS "Probing ANTLR: ${TESSERA_ANTLR_TOOL}, runtime ${ANTLR_VERSION}")
  set(folder "${CMAKE_BINARY_DIR}/antlr-probe")
  file(MAKE_DIRECTORY "${folder}")
  file(WRITE "${folder}/Probe.g4" "grammar Probe;\nstart : WORD+ EOF ;\nWORD : [a-z\\p{Letter}]+ ; BLANK : ' ' -> skip ;\n")
  file(WRITE "${folder}/main.cpp" [[
#include <antlr4-runtime.h>
#include "ProbeLexer.h"
#include "ProbeParser.h"
int main() {
  antlr4::ANTLRInputStream input("one two");
  probe::ProbeLexer lexer(&input);
  antlr4::CommonTokenStream tokens(&lexer);
  probe::ProbeParser parser(&tokens);
  return parser.start()->WORD().size() == 2 && parser.getNumberOfSyntaxErrors() == 0 ? 0 : 1;
}
]])
  tessera_antlr_generate("${folder}/Probe.g4" "${folder}" probe)
  unset(TESSERA_ANTLR_PROBE_RUNS CACHE)
  unset(TESSERA_ANTLR_PROBE_COMPILES CACHE)
  try_run(TESSERA_ANTLR_PROBE_RUNS TESSERA_ANTLR_PROBE_COMPILES
    SOURCES "${folder}/main.cpp" "${folder}/ProbeLexer.cpp" "${folder}/ProbeParser.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${ANTLR4_INCLUDE_DIR};${folder}"
    COMPILE_DEFINITIONS -w
    LINK_LIBRARIES "${TESSERA_ANTLR_LIBRARY}"
    CXX_STANDARD 17
    COMPILE_OUTPUT_VARIABLE built RUN_OUTPUT_VARIABLE ran)
  if(NOT TESSERA_ANTLR_PROBE_COMPILES)
    tessera_antlr_refuse("${folder}/ProbeParser.cpp" "the probe does not build:\n${built}")
  endif()
  if(NOT "${TESSERA_ANTLR_PROBE_RUNS}" STREQUAL "0")
    tessera_antlr_refuse("${folder}/ProbeParser.cpp" "the probe does not run: ${TESSERA_ANTLR_PROBE_RUNS}\n${ran}")
  endif()
  set(TESSERA_ANTLR_PROBED "${asked}" CACHE INTERNAL "The tool, runtime and compiler whose probe has passed")
endfunction()

if(TESSERA_ANTLR_SHIPPED)
  tessera_antlr_tool_format("${TESSERA_ANTLR_SHIPPED}/tessera_grammar/TesseraParser.cpp" tool_format)
  tessera_antlr_runtime_format(runtime_format)
  if(NOT tool_format STREQUAL runtime_format)
    message(FATAL_ERROR
      "This release's parser is in ANTLR's format ${tool_format}, and the runtime at ${ANTLR4_INCLUDE_DIR} (version ${ANTLR_VERSION}) "
      "reads format ${runtime_format}: remove ${TESSERA_ANTLR_SHIPPED} to have the parser made anew. ${TESSERA_ANTLR_REMEDY}")
  endif()
else()
  tessera_antlr_probe()
endif()
