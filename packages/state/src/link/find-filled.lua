#!lua flags=no-writes
-- Finds out which keys have entries.
--
-- KEYS     hashes or streams
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  command that counts the entries of a key: HLEN or XLEN
-- Returns the numbers of the keys with entries, from 1. A key that cannot be read counts as filled: reading it tells why.
local answer = {}
for n = 1, #KEYS do
  local entries = redis.pcall(ARGV[2], KEYS[n])
  if type(entries) ~= 'number' or entries > 0 then
    answer[#answer + 1] = n
  end
end
return answer
