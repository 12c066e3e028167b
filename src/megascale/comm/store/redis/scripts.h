#ifndef MEGASCALE_COMM_STORE_REDIS_SCRIPTS_H_
#define MEGASCALE_COMM_STORE_REDIS_SCRIPTS_H_

#include <string_view>

// What the Redis server runs for a request, each at one moment (EVAL). Sent whole every time: the
// server finds a script by its digest, and hashing these bytes costs it less than a round trip.
//
// Beside a key K stand K:waited (somebody waits for it), K:signal (the stream they block on, whose
// entry holds the value), and for a counter K:waits (the counts waited for) and K:signal:COUNT. A
// stream that is left over from an earlier wait is removed by the next who begins to wait.
namespace megascale::comm::redis {

// KEYS; values; then the lifetime in seconds. The place of a key that exists, or 0.
inline constexpr std::string_view kSetNew = R"(
for i, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then return i end
end
)";
inline constexpr std::string_view kSet = R"(
local life = ARGV[#ARGV]
for i, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[i], 'EX', life)
  if redis.call('DEL', key .. ':waited') == 1 then
    redis.call('XADD', key .. ':signal', '*', 'v', ARGV[i])
    redis.call('EXPIRE', key .. ':signal', life)
  end
end
return 0
)";
// KEYS; the lifetime, or 0 to ask without waiting. The values, nil where there is none.
inline constexpr std::string_view kGet = R"(
local values = redis.call('MGET', unpack(KEYS))
if ARGV[1] ~= '0' then
  for i, key in ipairs(KEYS) do
    if not values[i] then
      redis.call('DEL', key .. ':signal')
      redis.call('SET', key .. ':waited', '1', 'EX', ARGV[1])
      break
    end
  end
end
return values
)";
// One key; what to add, the lifetime. The sum.
inline constexpr std::string_view kAdd = R"(
local key = KEYS[1]
local sum = redis.call('INCRBY', key, ARGV[1])
redis.call('EXPIRE', key, ARGV[2])
for _, count in ipairs(redis.call('SMEMBERS', key .. ':waits')) do
  if sum >= tonumber(count) then
    redis.call('SREM', key .. ':waits', count)
    redis.call('XADD', key .. ':signal:' .. count, '*', 'v', sum)
    redis.call('EXPIRE', key .. ':signal:' .. count, ARGV[2])
  end
end
if redis.call('DEL', key .. ':waited') == 1 then
  redis.call('XADD', key .. ':signal', '*', 'v', sum)
  redis.call('EXPIRE', key .. ':signal', ARGV[2])
end
return sum
)";
// One key; the count, the lifetime or 0. The counter.
inline constexpr std::string_view kWait = R"(
local key, count = KEYS[1], ARGV[1]
local sum = redis.call('GET', key) or '0'
if tonumber(sum) < tonumber(count) and ARGV[2] ~= '0' then
  redis.call('DEL', key .. ':signal:' .. count)
  redis.call('SADD', key .. ':waits', count)
  redis.call('EXPIRE', key .. ':waits', ARGV[2])
end
return sum
)";
// KEYS; the lifetime. Where somebody was woken and may still be about to block, he is waiting
// again.
inline constexpr std::string_view kErase = R"(
for _, key in ipairs(KEYS) do
  redis.call('DEL', key)
  if redis.call('DEL', key .. ':signal') == 1 then
    redis.call('SET', key .. ':waited', '1', 'EX', ARGV[1])
  end
end
return 0
)";

}  // namespace megascale::comm::redis

#endif  // MEGASCALE_COMM_STORE_REDIS_SCRIPTS_H_
