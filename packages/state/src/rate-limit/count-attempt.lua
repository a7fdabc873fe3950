#!lua
-- Counts an attempt within a window of time that begins with the first one.
--
-- KEYS[1]  counter
-- ARGV[1]  length of the window, ms
--
-- Returns { attempts in the window, this one included; ms until it ends }.
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
-- Also of a counter that lost its end.
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }
