#!lua flags=allow-oom
-- Removes tombstones of one shard, up to the marker's version: put-records.lua refuses missing records up to that version, so
-- an old record cannot come back. The tombstone of an account stays while it has open holds. It works at maxmemory, to free
-- memory.
--
-- KEYS[1]  marker of the shard         KEYS[2]  tombstones of the shard
-- KEYS[2 + n]  hash of the account of the nth tombstone
-- ARGV[n]  the nth tombstone, as find-tombstones.lua returned it
-- Returns the number of removed tombstones.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/names.lua
local verifiedVersion = readVerified(redis.call('HGET', KEYS[1], verifiedField)) or -1

-- Removes the budgets with a window of an account, and its limits of counts. Control removes the budgets of a key.
local function removeBudgets(hash)
  for _, field in ipairs(redis.call('HKEYS', hash)) do
    if string.match(field, '^[btqo]%l:') then
      redis.call('HDEL', hash, field)
    end
  end
end

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
  -- A live record has replaced a tombstone that is not listed.
  if version <= verifiedVersion and open == 0 and redis.call('ZSCORE', KEYS[2], member) then
    redis.call('HDEL', hash, versionField, recordField)
    if isKey then
      redis.call('HDEL', hash, 'ti:' .. key, 'ol:' .. key)
    else
      removeBudgets(hash)
    end
    redis.call('ZREM', KEYS[2], member)
    removed = removed + 1
  end
end
return removed
