#!lua flags=allow-oom
-- Stores records of one shard, in order, each unless Redis already has a later version of it. First it notes in the
-- shard's marker the highest version that was ever written: if Postgres is restored to an earlier state, that is how it
-- is noticed, also when the marker's own version had not come so far yet.
-- The same version with another content comes from a restored Postgres that used the number again: the later word counts.
-- It works at maxmemory too: a tombstone must always get through.
--
-- KEYS[1]  marker of the shard         KEYS[1 + n]  hash of the account that the nth record is of
-- ARGV, four for each record:
--   field that begins with its version, field of the record, version (decimal integer), record (JSON)
-- Returns for each record 1 if stored, 0 if the same is there already, -1 if there is one of a later version.

--include parts/account.lua
local highest = redis.call('HGET', KEYS[1], 'highest')
local noted = highest
for n = 3, #ARGV, 4 do
  if not highest or tonumber(highest) < tonumber(ARGV[n]) then
    highest = ARGV[n]
  end
end
if highest ~= noted then
  redis.call('HSET', KEYS[1], 'highest', highest)
end

local outcomes = {}
for n = 1, #KEYS - 1 do
  local hash = KEYS[n + 1]
  local versionField, recordField, version, record = ARGV[4 * n - 3], ARGV[4 * n - 2], ARGV[4 * n - 1], ARGV[4 * n]
  local entry = redis.call('HGET', hash, versionField) or (versionField == 'a' and noAccount or noKey)
  local ahead = struct.unpack('<d', entry) - tonumber(version)
  if ahead > 0 then
    outcomes[n] = -1
  elseif ahead == 0 and redis.call('HGET', hash, recordField) == record then
    outcomes[n] = 0
  else
    redis.call('HSET', hash, versionField, struct.pack('<d', version) .. string.sub(entry, 9), recordField, record)
    outcomes[n] = 1
  end
end
return outcomes
