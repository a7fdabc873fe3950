#!lua
-- Remembers ids that an account got from providers. The newest ids stay, up to a number and an age.
--
-- KEYS[1]  hash of the ids    KEYS[2]  sorted set: the ids by the time when they were remembered, ms since the epoch
-- ARGV[1]  maximum number of ids    ARGV[2]  how long an id is remembered, ms
-- ARGV, two for each id, at most some thousands: id, value
-- Returns 1.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
-- Lua cannot pass many thousands of arguments.
local function forget(ids)
  for from = 1, #ids, 1000 do
    local to = math.min(from + 999, #ids)
    redis.call('HDEL', KEYS[1], unpack(ids, from, to))
    redis.call('ZREM', KEYS[2], unpack(ids, from, to))
  end
end

for n = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[n], ARGV[n + 1])
  redis.call('ZADD', KEYS[2], now, ARGV[n])
end
forget(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2]))
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[1]
if excess > 0 then
  forget(redis.call('ZRANGE', KEYS[2], 0, excess - 1))
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
