#!lua flags=allow-oom
-- Stores records of one shard in order, unless Redis has a later version. First it notes the highest version ever written in
-- the shard's marker. Control sees there that Postgres was restored to an earlier state, even before the shard was verified up
-- to that version.
-- The same version with other content comes from a restored Postgres that used the number again: the later write counts.
-- It works at maxmemory: a tombstone must always be stored.
--
-- Tombstones (of revoked keys and deleted accounts) are listed, and sweep-tombstones.lua removes them. A late live record must
-- not replace a removed tombstone. Redis has had every record up to the marker's version, so a missing record that is not
-- above it is out of date.
--
-- KEYS[1]  marker of the shard         KEYS[2]  tombstones of the shard
-- KEYS[2 + n]  hash of the nth record's account
-- ARGV, five for each record:
--   field that begins with its version; field of the record; version (decimal integer); record (JSON); 1 for a tombstone,
--   else 0
-- Returns for each record 1 if stored, 0 if it is there or its tombstone was removed, -1 if it is out of date.

--include layout/account.lua
--include layout/marker.lua
--include keyspace/names.lua
local highest = redis.call('HGET', KEYS[1], 'highest')
local noted = highest
for n = 3, #ARGV, 5 do
  if not highest or tonumber(highest) < tonumber(ARGV[n]) then
    highest = ARGV[n]
  end
end
if highest ~= noted then
  redis.call('HSET', KEYS[1], 'highest', highest)
end

local verifiedVersion = readVerified(redis.call('HGET', KEYS[1], verifiedField)) or -1
local nowMs

-- Lists a tombstone, unless it is listed.
local function list(member)
  if not nowMs then
    local time = redis.call('TIME')
    nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  if not redis.call('ZSCORE', KEYS[2], member) then
    redis.call('ZADD', KEYS[2], string.format('%.0f', nowMs), member)
  end
end

-- The packed field of an account or key, with another version.
local function withVersion(field, packed, newVersion)
  if field == 'a' then
    local EACH(account, NAME) = struct.unpack(accountForm, packed)
    version = newVersion
    return struct.pack(accountForm, EACH(account, NAME))
  end
  local EACH(key, NAME) = struct.unpack(keyForm, packed)
  version = newVersion
  return struct.pack(keyForm, EACH(key, NAME))
end

local outcomes = {}
for n = 1, #KEYS - 2 do
  local hash = KEYS[n + 2]
  local versionField, recordField, text, record = ARGV[5 * n - 4], ARGV[5 * n - 3], ARGV[5 * n - 2], ARGV[5 * n - 1]
  local version, isTombstone = tonumber(text), ARGV[5 * n] == '1'
  local member = accountOf(hash) .. ':' .. string.sub(versionField, 3)
  local entry = redis.call('HGET', hash, versionField) or (versionField == 'a' and noAccount or noKey)
  local present = struct.unpack(versionForm, entry)
  if present == 0 and version <= verifiedVersion then
    outcomes[n] = isTombstone and 0 or -1
  elseif present > version then
    outcomes[n] = -1
  else
    outcomes[n] = 1
    if present == version and redis.call('HGET', hash, recordField) == record then
      outcomes[n] = 0
    else
      redis.call('HSET', hash, versionField, withVersion(versionField, entry, version), recordField, record)
    end
    if isTombstone then
      list(member)
    elseif present > 0 then
      redis.call('ZREM', KEYS[2], member)
    end
  end
end
return outcomes
