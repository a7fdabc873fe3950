#!lua flags=allow-oom
-- Takes back requests of one account that were perhaps admitted, and were not sent to any upstream: nothing of them is
-- charged, and what was charged if they have been reaped meanwhile is taken back. What it leaves keeps an admission from
-- taking effect that comes only later. It works at maxmemory.
--
-- KEYS[1]  spend    KEYS[2]  limiters    KEYS[3]  holds    KEYS[4]  beginning of the names of what gone requests leave
-- KEYS[5]  beginning of the names of the account's usage
-- KEYS[6]  usage of the shard that is not copied           KEYS[7]  usage of the shard, by when it is final
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV     ids of requests
-- Returns 1.

--include parts/month.lua
--include parts/hold.lua
--include parts/gone.lua
--include parts/spend.lua
--include parts/tag.lua
--include parts/tokens.lua
--include parts/usage.lua

local spend = openSpend(KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local usage = openUsage(KEYS[5], KEYS[6], KEYS[7], tagOf(ARGV[1]), tonumber(time[1]))
local refund = 0
for n = 2, #ARGV do
  local id = ARGV[n]
  local held = redis.call('HGET', KEYS[3], id)
  if held then
    local _, at, _, nanos, _, tokens, perMinute, _, key = readHold(held)
    redis.call('HDEL', KEYS[3], id)
    spend.change(monthOf(at), key, 0, -nanos)
    refund = refund + unused(tokens, perMinute, at * 1000000 + tokens * 60000000 / perMinute - now)
  else
    local nanos, prompt, completion, at, key, model = readReaped(redis.call('GET', KEYS[4] .. id))
    if nanos then
      spend.change(monthOf(at), key, -nanos, 0)
      usage.add(at, key, model, { n = -1, p = -prompt, o = -completion, u = -nanos, x = -1, y = -nanos })
    end
  end
  redis.call('SET', KEYS[4] .. id, 'cancelled', 'PX', goneMs)
end
spend.write()
usage.write()
giveBack(KEYS[2], refund)
return 1
