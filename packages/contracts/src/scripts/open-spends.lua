#!lua flags=allow-oom
-- Reads the spends of accounts of one shard. An account that has none gets one of zero: from then on what is settled is
-- added to it. Whether nothing was spent before is for the caller to know, who seeds it before a shard is vouched for.
--
-- KEYS  hashes of accounts, at most some hundreds
-- Returns of each its month (yyyymm) and what is settled (nanodollars), with a bar between.

--include parts/account.lua
--include parts/month.lua

local present = monthOf(tonumber(redis.call('TIME')[1]))
local seen = {}
for n, name in ipairs(KEYS) do
  local found = redis.call('HGET', name, 'a') or noAccount
  local version, month, settled, reserved, open, arrival, tokenArrival, due, gone = struct.unpack(accountForm, found)
  if month == 0 then
    month = present
    redis.call('HSET', name, 'a', struct.pack(accountForm, version, month, settled, reserved, open, arrival, tokenArrival, due,
      gone))
  end
  seen[n] = seenOf(month, settled)
end
return seen
