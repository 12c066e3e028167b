# Plans are written by hand with the tests' writer.
add_executable(bench_runtime runtime_bench.cpp)
target_include_directories(bench_runtime PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(bench_runtime PRIVATE megascale::runtime benchmark::benchmark_main)
if(MEGASCALE_TESTS)  # they must keep running; the times mean nothing
  add_test(NAME bench_runtime_runs COMMAND bench_runtime --benchmark_min_time=0.001)
  set_tests_properties(bench_runtime_runs PROPERTIES LABELS unit)
endif()
