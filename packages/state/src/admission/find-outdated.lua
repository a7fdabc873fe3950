#!lua flags=no-writes
-- Finds the judged records that are no longer current, among keys with their accounts. A difference is only a hint, and
-- confirm.lua decides: this script does not ask whether the shards are verified.
--
-- KEYS[n]  hash of the account of the nth key
-- ARGV, three for each key:
--   key id; version of the key record and of the account record that were judged ('' for none)
-- Returns which keys have another version now, in their own record or in that of the account: 1 for the first key.

--include layout/account.lua
local outdated = {}
for n = 1, #KEYS do
  local found = redis.call('HMGET', KEYS[n], 'a', 'k:' .. ARGV[3 * n - 2])
  local keyVersion = struct.unpack(versionForm, found[2] or noKey)
  local accountVersion = struct.unpack(versionForm, found[1] or noAccount)
  if keyVersion ~= (tonumber(ARGV[3 * n - 1]) or 0) or accountVersion ~= (tonumber(ARGV[3 * n]) or 0) then
    outdated[#outdated + 1] = n
  end
end
return outdated
