#!lua flags=allow-oom
-- Brings what the ledger knows of an account's month into its spend: of each amount the larger counts. An account that
-- has no spend gets one; one of an earlier month is replaced.
--
-- KEYS[1]  spend
-- ARGV[1]  the month that the ledger was asked for, yyyymm, 0 if it was not: then nothing is known to have been spent
-- ARGV[2]  settled by the account, nanodollars
-- ARGV, two for each key: key id, settled
-- Returns 1; or 0 if by now it is another month, so that nothing was done.

--include parts/month.lua
--include parts/numbers.lua

local asked = whole(ARGV[1])
local fields, values = { 's' }, { whole(ARGV[2]) }
for n = 3, #ARGV, 2 do
  fields[#fields + 1] = 's:' .. ARGV[n]
  values[#values + 1] = whole(ARGV[n + 1])
end
local month = monthOf(tonumber(redis.call('TIME')[1]))
local found = tonumber(redis.call('HGET', KEYS[1], 'm') or nil)
-- A clock that was set back does not take a month back.
if found and found > month then
  month = found
end
if asked ~= 0 and asked ~= month then
  return 0
end
if not found or (asked ~= 0 and found < month) then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'm', month, 's', 0, 'r', 0)
end
if asked == 0 then
  return 1
end
for n, field in ipairs(fields) do
  local present = tonumber(redis.call('HGET', KEYS[1], field) or nil)
  if not present or present < values[n] then
    redis.call('HSET', KEYS[1], field, string.format('%.0f', values[n]))
  end
end
return 1
