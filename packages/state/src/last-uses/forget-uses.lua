#!lua flags=allow-oom
-- Forgets copied uses, except of keys that were used again meanwhile. It works at maxmemory, to free memory.
--
-- KEYS[1]  hash of the uses
-- ARGV, two for each use, at most some hundreds: key id, ms since the epoch, as it was read
-- Returns 1.

--include last-uses/noted-uses.lua
local copied = {}
for n, key in ipairs(keys) do
  if noted[n] == ARGV[2 * n] then
    copied[#copied + 1] = key
  end
end
if #copied > 0 then
  redis.call('HDEL', KEYS[1], unpack(copied))
end
return 1
