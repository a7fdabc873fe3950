#!lua
-- Ends a claim without an answer: the next request may claim it.
--
-- KEYS[1]  claim    ARGV[1]  run id, not used    ARGV[2]  fingerprint    ARGV[3]  token of the holder
-- Returns 1, or 0 if the caller does not hold the claim.

local own = 'r' .. ARGV[2] .. ARGV[3]
if redis.call('GETRANGE', KEYS[1], 0, #own - 1) ~= own then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
