#!lua flags=no-writes
-- Reads the markers of shards.
--
-- KEYS     markers; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  number of markers
-- Returns three for each marker: the verified state (see layout/marker.lua), the highest version of a record in the shard, and
-- why they cannot be read. Each may be absent.

--include layout/marker.lua
local answer, count = {}, tonumber(ARGV[2])
for n = 1, count do
  local found = redis.pcall('HMGET', KEYS[n], verifiedField, 'highest')
  answer[3 * n - 2], answer[3 * n - 1], answer[3 * n] = found[1] or false, found[2] or false, found.err or false
end
return answer
