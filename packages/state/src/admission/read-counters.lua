#!lua flags=no-writes
-- Reads what an account, one of its keys and budgets with a window have spent and reserved, and what is used of the rates, as
-- admit.lua counts it. Overdue holds count until they are reaped.
--
-- KEYS[1]  marker of the account's shard     KEYS[2]  hash of the account
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- ARGV     fields of the budgets and limits of counts: see budget.lua
-- Returns
--   'unverified'  control has not verified the shard for this process, the spend is not seeded, or no month is open
--   { µs since the epoch, packed field of the account, of the key, and of each budget }  amounts are those of the account's
--     month, and of the present windows

--include admission/records.lua
--include keyspace/month.lua
--include layout/budget.lua
local _, run, present = readVerified(redis.call('HGET', KEYS[1], verifiedField))
local found = redis.call('HMGET', KEYS[2], 'a', 'k:' .. ARGV[2], unpack(ARGV, 3))
local EACH(account, NAME) = struct.unpack(accountForm, found[1] or noAccount)
if run ~= ARGV[1] or present == 0 or month == 0 then
  return 'unverified'
end
if month < present then
  month, settled, reserved = present, 0, 0
end
local answer = {
  string.format('%.0f', now),
  struct.pack(accountForm, EACH(account, NAME)),
  struct.pack(keyForm, readKey(found[2] or noKey, month))
}
local at = monthOf(seconds) == month and seconds or within(month, seconds)
for n = 3, #ARGV do
  local window, spent, held, corrections = struct.unpack(budgetForm, found[n] or noBudget)
  local isCount = string.byte(ARGV[n]) ~= ofNanos
  local ofNow = windowOf(ARGV[n], isCount and seconds or at)
  if window < ofNow or isCount and window > ofNow then
    window, spent, held, corrections = ofNow, 0, 0, 0
  end
  answer[n + 1] = struct.pack(budgetForm, window, spent, held, corrections)
end
return answer
