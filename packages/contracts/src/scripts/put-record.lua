#!lua flags=allow-oom
-- Stores a record unless Redis already has a later version, and notes in the shard's marker the highest version that
-- was ever written: if Postgres is restored to an earlier state, that is how it is noticed, also when the marker's own
-- version had not come so far yet.
-- The same version with another content comes from a restored Postgres that used the number again: the later word counts.
-- It works at maxmemory too: a tombstone must always get through.
--
-- KEYS[1]  hash that holds the record  KEYS[2]  marker of its shard
-- ARGV[1]  field of the version        ARGV[2]  field of the record
-- ARGV[3]  version (decimal integer)   ARGV[4]  record (JSON)
-- Returns 1 if stored, 0 if the same is there already, -1 if there is one of a later version.
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current then
  local ahead = tonumber(current) - tonumber(ARGV[3])
  if ahead > 0 then
    return -1
  end
  if ahead == 0 and redis.call('HGET', KEYS[1], ARGV[2]) == ARGV[4] then
    return 0
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], ARGV[2], ARGV[4])
local highest = redis.call('HGET', KEYS[2], 'highest')
if not highest or tonumber(highest) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], 'highest', ARGV[3])
end
return 1
