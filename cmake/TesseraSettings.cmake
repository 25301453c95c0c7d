# Settings every room shares, as functions that act on one target.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(PROJECT_IS_TOP_LEVEL)
  find_program(TESSERA_CCACHE ccache)
endif()
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these it keeps nothing that was compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${TESSERA_CCACHE}")
endif()

# Two thirds of the time to compile went to reading the same headers again. These are read once for all rooms and once for
# all tests; every file still includes what it uses, which clang-tidy, without them, holds it to.
set(precompiled <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional>
                <set> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(precompiled_for_tests ${precompiled} <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

# tessera_precompiled(TARGET HOW HEADERS...): TARGET, optimised as HOW says, shares the precompiled header of the first target
# that asked for these. GCC 12 may crash on one that was made at another level or with other options.
function(tessera_precompiled target how)
  string(MD5 key "${how} ${ARGN}")
  get_property(first GLOBAL PROPERTY "TESSERA_PRECOMPILED_${key}")
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY "TESSERA_PRECOMPILED_${key}" ${target})
  endif()
endfunction()

# A first build takes a quarter of the time where a compiler reads two dozen of a room's files at once; building again after
# an edit of one file is faster without (preset dev).
option(TESSERA_UNITY "Compile the files of a room by two dozen" ON)

# tessera_room(NAME SOURCES... LINKS...): one static library per room, strict warnings, includes from the project's root.
# Private names of its files differ, so that any of them may be compiled together; SEPARATE: they never are.
# LEVEL says how far a release optimises them: 1 what works on texts and trees, whose
# time is the memory's, and which is compiled in two thirds of the time; 2 without a word. OPTIONS are more for the compiler.
function(tessera_room name)
  cmake_parse_arguments(ROOM "SEPARATE" "LEVEL" "SOURCES;LINKS;PRIVATE_LINKS;OPTIONS" ${ARGN})
  if(NOT ROOM_LEVEL)
    set(ROOM_LEVEL 2)
  endif()
  add_library(tessera_${name} STATIC ${ROOM_SOURCES})
  add_library(tessera::${name} ALIAS tessera_${name})
  target_include_directories(tessera_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(tessera_${name} PUBLIC ${ROOM_LINKS} PRIVATE ${ROOM_PRIVATE_LINKS})
  tessera_own_code(tessera_${name})
  target_compile_options(tessera_${name} PRIVATE ${ROOM_OPTIONS})
  tessera_optimised(tessera_${name} ${ROOM_LEVEL})
  set(how ${ROOM_LEVEL} ${ROOM_OPTIONS})
  tessera_precompiled(tessera_${name} "${how}" ${precompiled})
  if(NOT ROOM_SEPARATE)
    tessera_together(tessera_${name} 24)
    tessera_collects_seldom(tessera_${name})
  endif()
endfunction()

# tessera_part(ROOM NAME LEVEL SOURCES... LINKS...): files of a room that are optimised otherwise than the rest.
function(tessera_part room name)
  cmake_parse_arguments(PART "" "LEVEL" "SOURCES;LINKS" ${ARGN})
  add_library(tessera_${name} OBJECT ${PART_SOURCES})
  target_include_directories(tessera_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(tessera_${name} PRIVATE ${PART_LINKS})
  tessera_own_code(tessera_${name})
  tessera_optimised(tessera_${name} ${PART_LEVEL})
  tessera_precompiled(tessera_${name} ${PART_LEVEL} ${precompiled})
  tessera_together(tessera_${name} 24)
  tessera_collects_seldom(tessera_${name})
  target_sources(tessera_${room} PRIVATE $<TARGET_OBJECTS:tessera_${name}>)
endfunction()

# Warnings are errors in our own code; floats are never contracted, so that every machine of a kind gives the same bits.
function(tessera_own_code target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           $<$<BOOL:${TESSERA_WARNINGS_ARE_ERRORS}>:-Werror> -ffp-contract=off
                                           -ffunction-sections -fdata-sections) # the linker leaves out what nobody calls
  # GCC 12 reports these falsely where it inlines std::variant and std::string (GCC bugs 105329, 105562, 105651); the builds
  # that do not optimise, and clang-tidy, keep them.
  set(falsely_reported maybe-uninitialized restrict array-bounds stringop-overflow stringop-overread dangling-pointer
                       free-nonheap-object)
  list(TRANSFORM falsely_reported PREPEND -Wno-)
  target_compile_options(${target} PRIVATE "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:${falsely_reported}>")
endfunction()

# tessera_optimised(TARGET LEVEL): how far a release optimises TARGET.
function(tessera_optimised target level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

# tessera_together(TARGET COUNT): compiles TARGET's files by the COUNT, if that is wanted.
function(tessera_together target count)
  if(TESSERA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()

# tessera_collects_seldom(TARGET): GCC looks for memory that it could use again only when half a gigabyte is in use. Of two
# dozen files that is 7% of its time; it takes 1.2 GB where it took 0.95.
function(tessera_collects_seldom target)
  if(TESSERA_UNITY)
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:--param=ggc-min-heapsize=524288>")
  endif()
endfunction()

# tessera_for_tests(TARGET): code of tests and benchmarks besides the tests themselves, as quick to compile as they are.
function(tessera_for_tests target)
  tessera_own_code(${target})
  tessera_optimised(${target} 1)
  tessera_precompiled(${target} 1 ${precompiled})
  tessera_together(${target} 8)
endfunction()

# tessera_test(NAME SOURCES ... LINKS ... [LABELS ...] [TIMEOUT seconds]): one GoogleTest executable (with GoogleMock and
# RapidCheck) whose tests are found after linking and registered with ctest one by one. The label is "fast" unless said
# otherwise. ctest fixes RapidCheck's seed; the executable run by hand draws a new one each time and prints it when a
# property fails.
function(tessera_test name)
  cmake_parse_arguments(TEST "SERIAL" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT TEST_LABELS)
    set(TEST_LABELS fast)
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  # gtest_discover_tests loses the separators of a list; the property named once for each label appends instead.
  list(TRANSFORM TEST_LABELS PREPEND "LABELS;" OUTPUT_VARIABLE labels)
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} fmt::fmt GTest::gmock_main rapidcheck)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE TESSERA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  tessera_own_code(${name})
  tessera_optimised(${name} 1)
  tessera_precompiled(${name} 1 ${precompiled_for_tests})
  tessera_together(${name} 8)
  # A parameter is told by its name or number: the bytes of one, addresses among them, are others in each build.
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    PROPERTIES TIMEOUT ${TEST_TIMEOUT} RUN_SERIAL ${TEST_SERIAL} ${labels} ENVIRONMENT "RC_PARAMS=seed=20240607")
endfunction()
