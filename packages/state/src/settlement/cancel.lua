#!lua flags=allow-oom
-- Takes back requests of one account that were perhaps admitted, and were not sent to any upstream: nothing of them is
-- charged, and what was charged if they have been reaped meanwhile is taken back. What it leaves keeps an admission from
-- taking effect that comes only later. It works at maxmemory.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV     ids of requests
-- Returns 1.

--include layout/gone.lua
--include layout/hold.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include settlement/tokens.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local name = KEYS[1]
local gonePrefix = goneOf(shardOf(name))
local sums, closed, refund = {}, 0, 0
for n = 2, #ARGV do
  local id = ARGV[n]
  local held = redis.call('HGET', name, 'h:' .. id)
  if held then
    local _, at, _, nanos, _, tokens, perMinute, _, keyField, model = readHold(held)
    redis.call('HDEL', name, 'h:' .. id)
    closed = closed + 1
    sums[#sums + 1] = { keyField, model, at, 0, -nanos }
    refund = refund + unused(tokens, perMinute, at * 1000000 + tokens * 60000000 / perMinute - now)
  else
    local nanos, prompt, completion, at, key, model = readReaped(redis.call('GET', gonePrefix .. id))
    if nanos then
      sums[#sums + 1] = { 'k:' .. key, model, at, -nanos, 0, -1, 0, -prompt, 0, -completion, -nanos, -1, -nanos }
    end
  end
  redis.call('SET', gonePrefix .. id, 'cancelled', 'PX', goneMs)
end
postSums(name, now, tagOf(ARGV[1]), sums, closed, refund, nil, #ARGV > 1 and goneUntil(now) or nil)
return 1
