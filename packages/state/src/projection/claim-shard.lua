#!lua flags=allow-oom
-- Begins a replay into a shard: writes a claim into its marker and returns the shard's state.
-- The claim is lost with the data (a flush, another process from an older dump), and mark-verified.lua requires it.
-- So control cannot verify a shard whose data was lost during the replay.
--
-- KEYS[1]  marker of the shard
-- ARGV[1]  token of this replay
-- Returns { version, run }, each '' if the shard has none.

--include layout/marker.lua
redis.call('HSET', KEYS[1], 'claim:' .. ARGV[1], 1)
local version, run = readVerified(redis.call('HGET', KEYS[1], verifiedField))
return version and { string.format('%.0f', version), run } or { '', '' }
