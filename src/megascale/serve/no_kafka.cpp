// Stands in for kafka_sink.cpp in builds without librdkafka.
#include "megascale/base/error.h"
#include "megascale/serve/kafka_sink.h"

namespace megascale::serve {

struct KafkaSink::Client {};

KafkaSink::KafkaSink(const Options&) {
  throw Error(ErrorCode::unsupported,
              "observe.kafka_brokers: this megascale was built without librdkafka; install "
              "librdkafka-dev and build it again");
}
KafkaSink::~KafkaSink() = default;
void KafkaSink::publish(std::string_view, std::string_view) {}
void KafkaSink::count_dropped(std::int64_t) {}
void KafkaSink::finish() {}
std::int64_t KafkaSink::delivered() const { return 0; }
std::int64_t KafkaSink::dropped() const { return 0; }
std::string KafkaSink::error() const { return {}; }

}  // namespace megascale::serve
