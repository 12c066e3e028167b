# How near the layouts come to the best that `megascale tune` finds first.
add_executable(bench_tune tune_bench.cpp)
target_link_libraries(bench_tune PRIVATE megascale::study)
target_include_directories(bench_tune PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_compile_definitions(bench_tune PRIVATE MEGASCALE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
