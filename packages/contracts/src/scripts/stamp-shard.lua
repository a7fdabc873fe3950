#!lua flags=allow-oom
-- Ends a replay: vouches that this process holds every change of the shard up to a version.
-- Compare-and-set on what claim-shard returned. It clears all claims, so of several replays at once the first to
-- finish wins, and the others, which may know less, change nothing.
--
-- KEYS[1]  marker of the shard
-- ARGV[1]  token of this replay
-- ARGV[2]  version and  ARGV[3]  run that the claim returned
-- ARGV[4]  version and  ARGV[5]  run to set
-- Returns 1 if stamped, 0 if the shard has moved on or the claim is gone.

--include parts/marker.lua
local at = redis.call('HMGET', KEYS[1], vouchedField, 'claim:' .. ARGV[1], 'highest')
local version, run = readVouched(at[1])
if not at[2] or (version and string.format('%.0f', version) or '') ~= ARGV[2] or (run or '') ~= ARGV[3] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], vouchedField, struct.pack(vouchedForm, ARGV[4], ARGV[5]))
if at[3] then
  redis.call('HSET', KEYS[1], 'highest', at[3])
end
return 1
