#!lua flags=allow-oom
-- Stores records of one shard, in order, each unless Redis already has a later version of it. First it notes in the
-- shard's marker the highest version that was ever written: if Postgres is restored to an earlier state, that is how it
-- is noticed, also when the marker's own version had not come so far yet.
-- The same version with another content comes from a restored Postgres that used the number again: the later word counts.
-- It works at maxmemory too: a tombstone must always get through.
--
-- Tombstones (of revoked keys and deleted accounts) are listed, and sweep-tombstones.lua removes them. A live record that
-- comes late must not take their place: the marker's version says that every record up to it has been here, so one that is
-- absent and not above it is out of date.
--
-- KEYS[1]  marker of the shard         KEYS[2]  tombstones of the shard
-- KEYS[2 + n]  hash of the account that the nth record is of
-- ARGV, five for each record:
--   field that begins with its version, field of the record, version (decimal integer), record (JSON), 1 for a tombstone,
--   else 0
-- Returns for each record 1 if stored, 0 if the same is there already or has been swept, -1 if it is out of date.

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

local vouched = readVouched(redis.call('HGET', KEYS[1], vouchedField)) or -1
local nowMs

-- Lists a tombstone, unless it is listed already.
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
  if present == 0 and version <= vouched then
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
