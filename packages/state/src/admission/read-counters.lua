#!lua flags=no-writes
-- Reads what an account and one of its keys have spent, reserved and used of their rates, as admit.lua counts it. Overdue
-- holds count until they are reaped.
--
-- KEYS[1]  marker of the account's shard     KEYS[2]  hash of the account
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- Returns
--   'unverified'  control has not verified the shard for this process, the spend is not seeded, or no month is open
--   { µs since the epoch, packed field of the account, packed field of the key }  amounts are those of the account's month

--include admission/records.lua
local _, run, present = readVerified(redis.call('HGET', KEYS[1], verifiedField))
local found = redis.call('HMGET', KEYS[2], 'a', 'k:' .. ARGV[2])
local EACH(account, NAME) = struct.unpack(accountForm, found[1] or noAccount)
if run ~= ARGV[1] or present == 0 or month == 0 then
  return 'unverified'
end
if month < present then
  month, settled, reserved = present, 0, 0
end
return {
  string.format('%.0f', now),
  struct.pack(accountForm, EACH(account, NAME)),
  struct.pack(keyForm, readKey(found[2] or noKey, month))
}
