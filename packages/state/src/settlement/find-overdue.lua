#!lua flags=no-writes
-- Returns accounts of a shard that may have overdue holds, the longest overdue first.
--
-- KEYS[1]  deadlines of the shard
-- ARGV[1]  maximum number of accounts
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[1])
