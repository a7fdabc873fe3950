#!lua flags=no-writes
-- Reads records of keys of one shard, with the version up to which Redis has every change of the shard. Both are of the same
-- moment: so a missing record of an earlier version was removed as a tombstone, and not lost meanwhile.
--
-- KEYS[1]  marker of the shard         KEYS[1 + n]  hash of the account of the nth key
-- ARGV[n]  the nth key
-- Returns the verified version and the epoch of the first verification (each '' without one), then three for each key: version
-- of its record ('0' without one), its record (JSON, '' without one), 1 if the account has a record, else 0.

--include layout/account.lua
--include layout/marker.lua
local at = redis.call('HMGET', KEYS[1], verifiedField, 'since')
local verifiedVersion = readVerified(at[1])
local answer = { verifiedVersion and string.format('%.0f', verifiedVersion) or '', at[2] or '' }
for n = 1, #ARGV do
  local entries = redis.call('HMGET', KEYS[1 + n], 'k:' .. ARGV[n], 'r:' .. ARGV[n], 'a')
  answer[#answer + 1] = string.format('%.0f', (struct.unpack(versionForm, entries[1] or noKey)))
  answer[#answer + 1] = entries[2] or ''
  answer[#answer + 1] = struct.unpack(versionForm, entries[3] or noAccount) > 0 and 1 or 0
end
return answer
