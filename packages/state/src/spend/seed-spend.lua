#!lua flags=allow-oom
-- Raises the spend of an account to the ledger's amounts: the larger of the two counts. It creates a missing spend and replaces
-- a spend of an earlier month. It skips keys without a record: their tombstones were removed.
--
-- Settlements add to the larger amount, even if the ledger's is larger and lacks them. So where the ledger has more, the spend
-- must be as it was seen before control copied all usage from Redis into the ledger.
--
-- KEYS[1]  hash of the account
-- ARGV[1]  month of the ledger's amounts, yyyymm: the current month by control's clock
-- ARGV[2]  the spend as open-spends.lua returned it
-- ARGV[3]  settled by the account, nanodollars
-- ARGV, two for each key: key id, settled
-- Returns 1; or, without a change, 0 if the account is in a later month, 2 if the ledger has more and the spend has changed.

--include layout/account.lua
--include wire/numbers.lua

local asked, accountSettled = whole(ARGV[1]), whole(ARGV[3])
local fields, amounts = { 'a' }, {}
for n = 4, #ARGV, 2 do
  fields[#fields + 1] = 'k:' .. ARGV[n]
  amounts[#fields] = whole(ARGV[n + 1])
end
local values = {}
-- One key at a time: an account may have more keys than one command can take.
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
