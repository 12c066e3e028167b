// Copies the environment and replaces variables by name.
#include "megascale/launch/rank_environment.h"

#include <fmt/format.h>

extern char** environ;

namespace megascale::launch {

RankEnvironment::RankEnvironment(const Place& place, const comm::StoreAddress& store,
                                 const comm::JobSecret& secret) {
  for (char** one = environ; *one != nullptr; ++one) values_.emplace_back(*one);
  set("RANK", std::to_string(place.rank));
  set("WORLD_SIZE", std::to_string(place.world_size));
  set("LOCAL_RANK", std::to_string(place.local_rank));
  set("LOCAL_WORLD_SIZE", std::to_string(place.local_world_size));
  set("MEGASCALE_STORE", comm::to_string(store));
  set("MEGASCALE_STORE_BY", "launcher");
  set("MEGASCALE_JOB_SECRET", secret.text());
  set("MEGASCALE_JOB_SECRET_FILE", {});
  set("MEGASCALE_JOB_ID", kJob);
  set("MEGASCALE_RESTART_COUNT", std::to_string(place.restarts));
}

void RankEnvironment::set(const char* name, std::string_view value) {
  const std::string begin = fmt::format("{}=", name);
  std::erase_if(values_, [&](const std::string& one) { return one.starts_with(begin); });
  if (!value.empty()) values_.push_back(begin + std::string(value));
}

char* const* RankEnvironment::get() {
  pointers_.clear();
  for (std::string& value : values_) pointers_.push_back(value.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

}  // namespace megascale::launch
