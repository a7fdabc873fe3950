#!lua
-- Counts an attempt in a window of time. The first attempt begins the window.
--
-- KEYS[1]  counter
-- ARGV[1]  length of the window, ms
--
-- Returns { attempts in the window, this one included; ms until it ends }.
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
-- Also if the counter lost its expiry.
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }
