#!lua flags=no-writes
-- Finds out which keys have entries.
--
-- KEYS     hashes or streams; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  command that counts the entries of a key: HLEN or XLEN
-- ARGV[3]  number of keys
-- Returns the numbers of the keys with entries, from 1. A key that cannot be read counts as filled: reading it tells why.
local answer = {}
for n = 1, tonumber(ARGV[3]) do
  local entries = redis.pcall(ARGV[2], KEYS[n])
  if type(entries) ~= 'number' or entries > 0 then
    answer[#answer + 1] = n
  end
end
return answer
