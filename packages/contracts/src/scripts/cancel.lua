#!lua flags=allow-oom
-- Takes back requests of one account that were perhaps admitted, and were not sent to any upstream: nothing of them is
-- charged, and what was charged if they have been reaped meanwhile is taken back. What it leaves keeps an admission from
-- taking effect that comes only later. It works at maxmemory.
--
-- KEYS[1]  the name of the account's record; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV     ids of requests
-- Returns 1.

--include parts/books.lua
--include parts/gone.lua
--include parts/hold.lua
--include parts/month.lua
--include parts/names.lua
--include parts/tag.lua
--include parts/tokens.lua
--include parts/usage.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tail, shard = tailOf(KEYS[1]), shardOf(KEYS[1])
local books, gonePrefix = 'books' .. tail, goneOf(shard)
local changes, sums, closed, refund = {}, {}, 0, 0
for n = 2, #ARGV do
  local id = ARGV[n]
  local held = redis.call('HGET', books, 'h:' .. id)
  if held then
    local _, at, _, nanos, _, tokens, perMinute, _, key = readHold(held)
    redis.call('HDEL', books, 'h:' .. id)
    closed = closed + 1
    addChange(changes, monthOf(at), key, 0, -nanos)
    refund = refund + unused(tokens, perMinute, at * 1000000 + tokens * 60000000 / perMinute - now)
  else
    local nanos, prompt, completion, at, key, model = readReaped(redis.call('GET', gonePrefix .. id))
    if nanos then
      addChange(changes, monthOf(at), key, -nanos, 0)
      addUsage(sums, at, key, model, -1, 0, -prompt, 0, -completion, -nanos, -1, -nanos)
    end
  end
  redis.call('SET', gonePrefix .. id, 'cancelled', 'PX', goneMs)
end
writeBooks(books, redis.call('HMGET', books, unpack(fieldsOf(changes))), changes, closed, refund)
writeUsage(tail, shard, tagOf(ARGV[1]), now, sums)
return 1
