#!lua flags=allow-oom
-- Notes that a process runs. It works at maxmemory, since an entry only replaces an earlier one.
--
-- KEYS[1]  hash of the processes
-- ARGV[1]  id of the process
-- ARGV[2]  its report, JSON
-- The value begins with the time of this call, ms since the epoch, and a bar. Returns 1.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f|', now) .. ARGV[2])
return 1
