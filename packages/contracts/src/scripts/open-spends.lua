#!lua flags=allow-oom
-- Reads the spends of accounts of one shard. An account that has none gets one of zero: from then on what is settled is
-- added to it. Whether nothing was spent before is for the caller to know, who seeds it before a shard is vouched for.
--
-- KEYS  spends, at most some hundreds
-- Returns of each its month (yyyymm) and what is settled (nanodollars), with a bar between.

--include parts/month.lua

local month = string.format('%.0f', monthOf(tonumber(redis.call('TIME')[1])))
local seen = {}
for n, spend in ipairs(KEYS) do
  local found = redis.call('HMGET', spend, 'm', 's')
  if not found[1] then
    redis.call('HSET', spend, 'm', month, 's', 0, 'r', 0)
    found = { month, '0' }
  end
  seen[n] = found[1] .. '|' .. (found[2] or '')
end
return seen
