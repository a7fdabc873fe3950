#!lua
-- Notes receipts of requests that were not admitted. A full Redis does not take them.
--
-- KEYS[1]  stream of the shard, `receipts:{aNN}`; in a cluster also its guard
-- ARGV[1]  run id, not used    ARGV[2]  bytes for the receipts of the shard    ARGV[3]  the receipts, one a line
-- Returns 1.

--include receipts/append.lua

local time = redis.call('TIME')
appendReceipts(string.match(KEYS[1], '{.*}'), tonumber(ARGV[2]), ARGV[3], time[1] * 1000000 + time[2])
return 1
