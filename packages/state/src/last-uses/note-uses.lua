#!lua
-- Notes when keys were last used, unless a later use is noted: gateways write at different times, and repeat failed writes.
--
-- KEYS[1]  hash of the uses
-- ARGV, two for each use, at most some hundreds: key id, ms since the epoch
-- Returns 1.

--include last-uses/noted-uses.lua
local later = {}
for n, key in ipairs(keys) do
  local at = ARGV[2 * n]
  if not noted[n] or tonumber(noted[n]) < tonumber(at) then
    later[#later + 1] = key
    later[#later + 1] = at
  end
end
if #later > 0 then
  redis.call('HSET', KEYS[1], unpack(later))
end
return 1
