#!lua flags=allow-oom
-- Takes back requests of one account that were perhaps admitted, and were not sent to any upstream: nothing of them is
-- charged. What it leaves keeps an admission from taking effect that comes only later. It works at maxmemory.
--
-- KEYS[1]  spend    KEYS[2]  limiters    KEYS[3]  holds    KEYS[4]  beginning of the names of what cancelled requests leave
-- ARGV     ids of requests
-- Returns 1.

--include parts/month.lua
--include parts/hold.lua
--include parts/spend.lua

local spend = openSpend(KEYS[1])
local refund = 0
for _, id in ipairs(ARGV) do
  local held = redis.call('HGET', KEYS[3], id)
  if held then
    local _, at, _, nanos, _, tokens, perMinute, _, key = readHold(held)
    redis.call('HDEL', KEYS[3], id)
    spend.change(monthOf(at), key, 0, -nanos)
    refund = refund + tokens * 60000000 / perMinute
  end
  redis.call('SET', KEYS[4] .. id, 'cancelled', 'PX', goneMs)
end
spend.write()
if refund > 0 then
  local arrival = redis.call('HGET', KEYS[2], 't')
  if arrival then
    redis.call('HSET', KEYS[2], 't', string.format('%.0f', math.max(0, tonumber(arrival) - refund)))
  end
end
return 1
