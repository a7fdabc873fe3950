#!lua
-- Confirms that a key may be used now, without a reservation. The caller has judged the key and its account on cached records
-- and names their versions. If a record has changed, the script returns the current records.
--
-- KEYS[1]  marker of the account's shard     KEYS[2]  hash of the account
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- ARGV[3]  version of the key record and  ARGV[4]  of the account record that were judged; '' for none
-- ARGV[5]  when the secret stops working (the key's expiry or the end of a rotated secret's grace), ms since the epoch; '' for
--          never
-- Returns
--   'admitted'
--   'ended'       the time in ARGV[5] has come
--   'unverified'  control has not verified the shard for this process
--   { key version, key record, account version, account record }  the current records, '' for a missing record

--include wire/numbers.lua
--include admission/records.lua
local name, key = KEYS[2], ARGV[2]
local endsAt = ARGV[5] ~= '' and whole(ARGV[5]) or nil
local version, run = readVerified(redis.call('HGET', KEYS[1], verifiedField))
if run ~= ARGV[1] then
  return 'unverified'
end
local found = redis.call('HMGET', name, 'a', 'k:' .. key)
local keyVersion = struct.unpack(versionForm, found[2] or noKey)
local accountVersion = struct.unpack(versionForm, found[1] or noAccount)
local epochStart = version - version % 1e12
if not (keyVersion == tonumber(ARGV[3]) and isInForce(keyVersion, epochStart)
  and accountVersion == tonumber(ARGV[4]) and isInForce(accountVersion, epochStart)) then
  return { currentRecords(name, key, keyVersion, accountVersion, epochStart) }
end
if endsAt and nowMs >= endsAt then
  return 'ended'
end
return 'admitted'
