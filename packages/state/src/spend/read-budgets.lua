#!lua flags=allow-oom
-- Reads budgets with a window of one account (see budget.lua), and at the same moment its usage rows and holds, from which
-- control finds what they should be. It moves them to the present window, and creates missing ones, so that settlements
-- add to them from now on.
--
-- KEYS[1]  hash of the account
-- ARGV[1]  number of budgets
-- ARGV     fields of budgets; then ids of keys: only their usage rows are returned. Without keys, those of all
-- Returns the time, µs since the epoch; then the budgets as Redis stores them, in their order; then fields and values of the
-- usage rows and holds, in turn.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/month.lua
--include keyspace/names.lua
--include layout/budget.lua

local name = KEYS[1]
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local answer = { string.format('%.0f', seconds * 1000000 + time[2]) }

-- The month as admissions know it.
local EACH(account, NAME) = struct.unpack(accountForm, redis.call('HGET', name, 'a') or noAccount)
local _, _, present = readVerified(redis.call('HGET', 'shard:' .. shardOf(name), verifiedField))
month = math.max(month, present or 0)
local at = (month == 0 or monthOf(seconds) == month) and seconds or within(month, seconds)
local budgets, keys = tonumber(ARGV[1]), {}
for n = budgets + 2, #ARGV do
  keys[ARGV[n]] = true
end
local isOfAll = not next(keys)
for n = 2, budgets + 1 do
  local field = ARGV[n]
  local packed = redis.call('HGET', name, field)
  local EACH(budget, NAME) = struct.unpack(budgetForm, packed or noBudget)
  local ofNow = windowOf(field, at)
  if not packed or window < ofNow then
    packed = struct.pack(budgetForm, ofNow, 0, 0, 0)
    redis.call('HSET', name, field, packed)
  end
  answer[#answer + 1] = packed
end
for _, field in ipairs(redis.call('HKEYS', name)) do
  local kind = string.sub(field, 1, 2)
  if kind == 'h:' or kind == 'u:' and (isOfAll or keys[string.match(field, '|([^|]*)|')]) then
    answer[#answer + 1] = field
    answer[#answer + 1] = redis.call('HGET', name, field)
  end
end
return answer
