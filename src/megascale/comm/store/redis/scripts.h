#ifndef MEGASCALE_COMM_STORE_REDIS_SCRIPTS_H_
#define MEGASCALE_COMM_STORE_REDIS_SCRIPTS_H_

#include <string_view>

// Lua scripts that the Redis server executes for store requests (EVAL). A script runs atomically.
// Its text is sent every time: hashing it costs the server less than a round trip for EVALSHA.
//
// Besides a key K there are these helper keys:
//   K:waited         exists if a client waits for K
//   K:signal         the stream on which clients wait for K; its entry holds the value
//   K:waits          for a counter: the set of counts that clients wait for
//   K:signal:COUNT   for a counter: the stream on which clients wait for COUNT
// A stream that is left over from an earlier wait is removed by the next client that begins to
// wait. The comment of a script names its keys, its arguments and its result.
namespace megascale::comm::redis {

// Checks for set_new; kSet follows it in the same script. Keys: any number. Arguments: as kSet.
// Result: the index, from 1, of a key that exists; if none exists, the result of kSet, 0.
inline constexpr std::string_view kSetNew = R"(
for i, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then return i end
end
)";
// Keys: any number. Arguments: their values, then the lifetime in seconds. Result: 0.
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
// Keys: any number. Argument: the lifetime of marks in seconds, or 0 to set no mark. Result: the
// values, nil for a missing key. Marks the first missing key.
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
// Key: one counter. Arguments: the number to add, the lifetime in seconds. Result: the sum.
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
// Key: one counter. Arguments: the count to wait for, the lifetime of marks in seconds, or 0 to set
// no mark. Result: the counter.
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
// Keys: any number. Argument: the lifetime of marks in seconds. Result: 0. If an erased key has a
// stream, a client may have asked for the key but not have blocked on the stream yet. The key is
// then marked again, so that this client is woken by the next set.
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
