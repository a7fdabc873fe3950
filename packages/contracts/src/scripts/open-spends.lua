#!lua flags=allow-oom
-- Reads the spends of accounts of one shard. An account that has none gets one of zero: from then on what is settled is
-- added to it. Whether nothing was spent before is for the caller to know, who seeds it before a shard is vouched for.
--
-- KEYS  books, at most some hundreds
-- Returns of each its month (yyyymm) and what is settled (nanodollars), with a bar between.

--include parts/books.lua
--include parts/month.lua

local present = monthOf(tonumber(redis.call('TIME')[1]))
local seen = {}
for n, books in ipairs(KEYS) do
  local found = redis.call('HGET', books, 'a')
  if not found then
    found = struct.pack(accountForm, present, 0, 0, 0, 0, 0, 0)
    redis.call('HSET', books, 'a', found)
  end
  local month, settled = struct.unpack(accountForm, found)
  seen[n] = seenOf(month, settled)
end
return seen
