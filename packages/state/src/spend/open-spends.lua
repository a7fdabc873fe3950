#!lua flags=allow-oom
-- Reads the spends of accounts of one shard. A missing spend becomes 0, so settlements add to it from now on. The caller must
-- seed it from the ledger before control verifies the shard.
--
-- KEYS     hashes of accounts, at most some hundreds
-- ARGV[1]  month for missing spends, yyyymm; '' for the month that is open in the shard. Without an open month they stay missing
-- Returns for each account its month (yyyymm) and settled nanodollars, with a bar between.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/names.lua

local seen, present = {}, tonumber(ARGV[1])
if not present and KEYS[1] then
  local _
  _, _, present = readVerified(redis.call('HGET', 'shard:' .. shardOf(KEYS[1]), verifiedField))
end
for n, name in ipairs(KEYS) do
  local found = redis.call('HGET', name, 'a') or noAccount
  local EACH(account, NAME) = struct.unpack(accountForm, found)
  if month == 0 and present and present > 0 then
    month = present
    redis.call('HSET', name, 'a', struct.pack(accountForm, EACH(account, NAME)))
  end
  seen[n] = seenOf(month, settled)
end
return seen
