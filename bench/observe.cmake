# bench/observe/scale measures with it what observe.stored_steps would store of a run.
add_executable(measure_step_store observe/store.cpp)
target_link_libraries(measure_step_store PRIVATE megascale::serve)
# bench/observe/slow_ranks runs it.
add_executable(injected_rank observe/injected_rank.cpp)
target_link_libraries(injected_rank PRIVATE megascale::train megascale::launch)
