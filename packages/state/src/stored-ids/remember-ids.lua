#!lua
-- Remembers ids that an account got from providers, in two hashes: when the newer one is full or old, it replaces the older one. This
-- takes a third of the memory of a sorted set beside one hash.
--
-- KEYS[1]  hash of the newer ids    KEYS[2]  hash of the older ids
-- ARGV[1]  maximum ids of a hash    ARGV[2]  how long ids are remembered after the last write to their hash, ms
-- ARGV, two for each id, at most some thousands: digest of the id, value
-- The field `born` has the time of the first write to a hash, ms since the epoch. Returns 1.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kept = tonumber(ARGV[2])
local born = tonumber(redis.call('HGET', KEYS[1], 'born'))
if born and (redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) or now - born >= kept) then
  redis.call('RENAME', KEYS[1], KEYS[2])
  born = nil
end
if not born then
  redis.call('HSET', KEYS[1], 'born', string.format('%.0f', now))
end
for n = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[n], ARGV[n + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
