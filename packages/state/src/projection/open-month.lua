#!lua flags=allow-oom
-- Opens a month in a shard: requests admitted from now on belong to it. Control decides, since it compares several clocks.
-- If a later month is open, that stays open.
--
-- KEYS[1]  marker of the shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  the month, yyyymm
-- Returns 1, or 0 if the shard is not verified for this process.

--include layout/marker.lua
local version, run, month, lost = readVerified(redis.call('HGET', KEYS[1], verifiedField))
if run ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], verifiedField, struct.pack(verifiedForm, version, math.max(month, ARGV[2]), run, lost))
return 1
