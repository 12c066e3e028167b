# megascale_module(NAME SOURCES a.cpp ... DEPENDS base ... [LINK outside::part ...] [SEPARATE])
# A folder of src/megascale is one static library; DEPENDS names other folders. The table of allowed
# dependencies is in docs/architecture.md and a test holds the includes against it. SEPARATE: its sources use the same names, or
# are compiled once per vector target, and so never together.
function(megascale_module NAME)
  cmake_parse_arguments(ARG "SEPARATE" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(megascale_${NAME} STATIC ${ARG_SOURCES})
  add_library(megascale::${NAME} ALIAS megascale_${NAME})
  target_link_libraries(megascale_${NAME} PUBLIC megascale::options)
  # The same object files go into the program and into libmegascale. Functions are called as directly as in a program: nobody
  # replaces one of them at run time.
  set_target_properties(megascale_${NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(megascale_${NAME} PRIVATE -fno-semantic-interposition)
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(megascale_${NAME} PUBLIC megascale::${dependency})
  endforeach()
  target_link_libraries(megascale_${NAME} PUBLIC ${ARG_LINK})
  if(ARG_SEPARATE)
    set_target_properties(megascale_${NAME} PROPERTIES UNITY_BUILD OFF)
  endif()
  set_property(GLOBAL APPEND PROPERTY MEGASCALE_MODULES megascale::${NAME})
endfunction()

# megascale_test(NAME SOURCES a_test.cpp ... DEPENDS base ... [LABELS unit] [PREFIX before/])
# PREFIX goes before the names of all tests, where another program has the same ones.
function(megascale_test NAME)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPENDS;LINK;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(test_${NAME} ${ARG_SOURCES})
  target_include_directories(test_${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # A test runs for less time than its compilation takes: -O1 needs 0.65 of the compile time of -O3.
  target_compile_options(test_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(test_${NAME} PRIVATE megascale::options GTest::gtest_main GTest::gmock ${ARG_LINK})
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(test_${NAME} PRIVATE megascale::${dependency})
  endforeach()
  set(environment "")
  if(MEGASCALE_SANITIZE)
    set(environment ENVIRONMENT UCX_MEM_EVENTS=n)  # UCX's hooks of mmap run where sanitizers are not ready for them
  endif()
  set(timeout 300)
  if(slow IN_LIST ARG_LABELS OR MEGASCALE_SANITIZE)
    set(timeout 1800)
  endif()
  gtest_discover_tests(test_${NAME} TEST_PREFIX "${ARG_PREFIX}" PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${timeout} ${environment} DISCOVERY_TIMEOUT 60)
endfunction()
