#!lua
-- Notes receipts of requests that were not admitted. A full Redis does not take them.
--
-- KEYS[1]  stream of the shard, `receipts:{aNN}`; in a cluster also its guard
-- ARGV[1]  run id, not used    ARGV[2]  bytes for the receipts of the shard    ARGV[3]  number of receipts
-- ARGV[4]  the receipts, one a line
-- Returns 1.

--include receipts/append.lua

appendReceipts(string.match(KEYS[1], '{.*}'), tonumber(ARGV[2]), ARGV[4], tonumber(ARGV[3]))
return 1
