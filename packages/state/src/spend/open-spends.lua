#!lua flags=allow-oom
-- Reads the spends of accounts of one shard. An account that has none gets one of zero: from then on what is settled is
-- added to it. Whether nothing was spent before is for the caller to know, who seeds it before a shard is vouched for.
--
-- KEYS     hashes of accounts, at most some hundreds
-- ARGV[1]  the month of a spend that is missing, yyyymm; '' for the month that is open in the shard: where none is, the spend
--          stays missing
-- Returns of each its month (yyyymm) and what is settled (nanodollars), with a bar between.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/names.lua

local seen, present = {}, tonumber(ARGV[1])
if not present and KEYS[1] then
  local _
  _, _, present = readVouched(redis.call('HGET', 'shard:' .. shardOf(KEYS[1]), vouchedField))
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
