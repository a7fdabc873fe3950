#!lua flags=allow-oom
-- Stores a record unless Redis already has one of the same or a later version.
-- It works at maxmemory too: a tombstone must always get through.
--
-- KEYS[1]  hash that holds the record
-- ARGV[1]  field of the version        ARGV[2]  field of the record
-- ARGV[3]  version (decimal integer)   ARGV[4]  record (JSON)
-- Returns 1 if stored, 0 if what is there is as new or newer.
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current and tonumber(current) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], ARGV[2], ARGV[4])
return 1
