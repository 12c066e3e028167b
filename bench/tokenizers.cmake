# bench/tokenizers/peers.mjs compares it with npm's tokenizers and tiktoken.
add_executable(measure_tokenizer tokenizers/measure.cpp)
target_link_libraries(measure_tokenizer PRIVATE megascale::tokenizers)
