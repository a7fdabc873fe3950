#!lua flags=allow-oom
-- Removes tombstones of one shard. Only those that the marker's version covers may go: put-records.lua refuses every record
-- up to that version which is absent, so a record of an earlier state cannot come back. The tombstone of an account stays
-- while requests of it are open. It works at maxmemory, where the memory that it frees is needed.
--
-- KEYS[1]  marker of the shard         KEYS[2]  tombstones of the shard
-- KEYS[2 + n]  hash of the account of the nth tombstone
-- ARGV[n]  the nth tombstone, as find-tombstones returned it
-- Returns how many are removed.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/names.lua
local vouched = readVouched(redis.call('HGET', KEYS[1], vouchedField)) or -1

local removed = 0
for n = 1, #ARGV do
  local hash, member = KEYS[n + 2], ARGV[n]
  local key = string.sub(member, #accountOf(hash) + 2)
  local isKey = key ~= ''
  local versionField, recordField = isKey and 'k:' .. key or 'a', isKey and 'r:' .. key or 'r'
  local entry = redis.call('HGET', hash, versionField) or (isKey and noKey or noAccount)
  local EACH(account, NAME)
  if isKey then
    version, open = struct.unpack(versionForm, entry), 0
  else
    EACH(account, NAME) = struct.unpack(accountForm, entry)
  end
  -- One that is not listed any more was replaced by a live record.
  if version <= vouched and open == 0 and redis.call('ZSCORE', KEYS[2], member) then
    redis.call('HDEL', hash, versionField, recordField)
    redis.call('ZREM', KEYS[2], member)
    removed = removed + 1
  end
end
return removed
