#!lua flags=no-writes
-- Returns the expired tombstones of a shard, the oldest first.
--
-- KEYS[1]  tombstones of the shard
-- ARGV[1]  how long a tombstone is kept, ms    ARGV[2]  maximum number of tombstones
-- Returns `<account>:<key>` for each key, `<account>:` for each account.
local time = redis.call('TIME')
local latest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', latest), 'LIMIT', 0, ARGV[2])
