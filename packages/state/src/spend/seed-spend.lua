#!lua flags=allow-oom
-- Brings what the ledger knows of an account's month into its spend: of each amount the larger counts. A spend that is
-- missing is made, one of an earlier month replaced. Keys without a record are passed over: their tombstones were swept.
--
-- What is settled adds to the larger, also if that is the ledger's, which may not have it yet. So where the ledger has
-- more, the spend must be the one that was seen before all that Redis knew was copied into the ledger.
--
-- KEYS[1]  hash of the account
-- ARGV[1]  the month that the ledger was asked for, yyyymm: by control's clocks it is the present one
-- ARGV[2]  the spend that was seen, as open-spends returned it
-- ARGV[3]  settled by the account, nanodollars
-- ARGV, two for each key: key id, settled
-- Returns 1; or, if nothing was done, 0 because the account is in a later month, 2 because other amounts than were seen are
-- there by now, and it would have made a difference.

--include layout/account.lua
--include wire/numbers.lua

local asked, accountSettled = whole(ARGV[1]), whole(ARGV[3])
local fields, amounts = { 'a' }, {}
for n = 4, #ARGV, 2 do
  fields[#fields + 1] = 'k:' .. ARGV[n]
  amounts[#fields] = whole(ARGV[n + 1])
end
local values = {}
-- A key at a time: an account may have more than a script can look at in one command.
for n, field in ipairs(fields) do
  values[n] = redis.call('HGET', KEYS[1], field) or n > 1 and noKey or noAccount
end
local EACH(account, NAME) = struct.unpack(accountForm, values[1])
local seen = seenOf(month, settled)
if asked < month then
  return 0
end
if month < asked then
  month, settled, reserved = asked, 0, 0
end
local changes = {}
for n = 2, #fields do
  local EACH(key, keyName) = readKey(values[n], month)
  if keyVersion > 0 and keySettled < amounts[n] then
    keySettled = amounts[n]
    changes[n] = struct.pack(keyForm, EACH(key, keyName))
  end
end
if (settled < accountSettled or next(changes)) and ARGV[2] ~= seen then
  return 2
end
settled = math.max(settled, accountSettled)
redis.call('HSET', KEYS[1], 'a', struct.pack(accountForm, EACH(account, NAME)))
for n, value in pairs(changes) do
  redis.call('HSET', KEYS[1], fields[n], value)
end
return 1
