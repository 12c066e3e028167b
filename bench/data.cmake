add_executable(bench_data data_bench.cpp)
target_link_libraries(bench_data PRIVATE megascale::data benchmark::benchmark_main)
if(MEGASCALE_TESTS)  # they must keep running; the times mean nothing
  add_test(NAME bench_data_runs COMMAND bench_data --benchmark_filter=BM_Fill --benchmark_min_time=0.001)
  set_tests_properties(bench_data_runs PROPERTIES LABELS unit)
endif()
