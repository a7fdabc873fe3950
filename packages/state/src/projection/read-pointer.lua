#!lua flags=allow-oom
-- Finds the key that a secret belongs to. It writes nothing, but has no `no-writes` flag: a master without replicas refuses
-- writes. Such a master may have been replaced, and the new master may have keys that it lacks.
--
-- KEYS[1]  pointer      KEYS[2]  marker of the pointer's shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- Returns the pointer (JSON); 0 if it is missing and the shard is verified, so no such key exists; or -1 if it is missing and
-- the shard is not verified for this process.

--include layout/marker.lua
local pointer = redis.call('GET', KEYS[1])
if pointer then
  return pointer
end
local _, run = readVerified(redis.call('HGET', KEYS[2], verifiedField))
if run == ARGV[1] then
  return 0
end
return -1
