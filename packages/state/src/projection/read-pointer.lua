#!lua flags=allow-oom
-- Finds the key that a secret belongs to. It writes nothing, but must not be said to: a master that may not write, because it
-- has lost its replicas, may have been replaced, and must not say that a key is unknown which the new one has.
--
-- KEYS[1]  pointer      KEYS[2]  marker of the pointer's shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- Returns the pointer (JSON); or 0 if there is none and this process is known to hold every pointer of the shard;
-- or -1 if that is not known, so that nothing may be concluded from the absence.

--include layout/marker.lua
local pointer = redis.call('GET', KEYS[1])
if pointer then
  return pointer
end
local _, run = readVouched(redis.call('HGET', KEYS[2], vouchedField))
if run == ARGV[1] then
  return 0
end
return -1
