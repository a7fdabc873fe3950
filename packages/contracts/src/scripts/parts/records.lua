-- Answers at once unless the records that were judged are those of this instant, in a process that is known to hold every
-- change, and what was judged has not ended. KEYS[1] to KEYS[3] and ARGV[1] to ARGV[5] are as in verify.lua. What follows
-- finds the time in `seconds` since the epoch, `now` in µs and `nowMs`.
--include parts/numbers.lua
local marker = redis.call('HMGET', KEYS[1], 'run', 'version')
if marker[1] ~= ARGV[1] then
  return 'unverified'
end

local keyVersion = redis.call('HGET', KEYS[2], 'v:' .. ARGV[2]) or ''
local accountVersion = redis.call('HGET', KEYS[3], 'v') or ''
-- A record of an earlier epoch (10^12 versions each) than its shard's is void.
local epochStart = math.floor(tonumber(marker[2]) / 1e12) * 1e12
if keyVersion ~= '' and tonumber(keyVersion) < epochStart then
  keyVersion = ''
end
if accountVersion ~= '' and tonumber(accountVersion) < epochStart then
  accountVersion = ''
end
if keyVersion == '' or accountVersion == '' or keyVersion ~= ARGV[3] or accountVersion ~= ARGV[4] then
  return {
    keyVersion,
    keyVersion ~= '' and redis.call('HGET', KEYS[2], 'r:' .. ARGV[2]) or '',
    accountVersion,
    accountVersion ~= '' and redis.call('HGET', KEYS[3], 'r') or ''
  }
end

local time = redis.call('TIME')
local seconds = tonumber(time[1])
local now = seconds * 1000000 + tonumber(time[2])
local nowMs = math.floor(now / 1000)
if ARGV[5] ~= '' and nowMs >= whole(ARGV[5]) then
  return 'ended'
end
