#!lua flags=allow-oom
-- Brings what the ledger knows of an account's month into its spend: of each amount the larger counts. A spend that is
-- missing is made, one of an earlier month replaced.
--
-- What is settled adds to the larger, also if that is the ledger's, which may not have it yet. So where the ledger has
-- more, the spend must be the one that was seen before all that Redis knew was copied into the ledger.
--
-- KEYS[1]  spend
-- ARGV[1]  the month that the ledger was asked for, yyyymm
-- ARGV[2]  the spend that was seen, as open-spends returned it
-- ARGV[3]  settled by the account, nanodollars
-- ARGV, two for each key: key id, settled
-- Returns 1; or, if nothing was done, 0 because by now it is another month, 2 because other amounts than were seen are
-- there by now, and it would have made a difference.

--include parts/month.lua
--include parts/numbers.lua

local asked = whole(ARGV[1])
local fields, amounts = { 's' }, { whole(ARGV[3]) }
for n = 4, #ARGV, 2 do
  fields[#fields + 1] = 's:' .. ARGV[n]
  amounts[#amounts + 1] = whole(ARGV[n + 1])
end
local month = monthOf(tonumber(redis.call('TIME')[1]))
local seen = redis.call('HMGET', KEYS[1], 'm', 's')
local found = tonumber(seen[1] or nil)
-- A clock that was set back does not take a month back.
if asked ~= math.max(month, found or 0) then
  return 0
end
local isNew = not found or found < month
local changes = {}
for n, field in ipairs(fields) do
  local present = not isNew and tonumber(redis.call('HGET', KEYS[1], field) or nil) or 0
  if present < amounts[n] then
    changes[#changes + 1] = field
    changes[#changes + 1] = string.format('%.0f', amounts[n])
  end
end
if #changes > 0 and ARGV[2] ~= (seen[1] or '') .. '|' .. (seen[2] or '') then
  return 2
end
if isNew then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'm', month, 's', 0, 'r', 0)
end
for n = 1, #changes, 2 do
  redis.call('HSET', KEYS[1], changes[n], changes[n + 1])
end
return 1
