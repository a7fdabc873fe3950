#!lua flags=allow-oom
-- Stores a catalog, unless Redis has a later one: a slow replica must not bring former prices back.
--
-- KEYS[1]  the catalog
-- ARGV[1]  version
-- ARGV[2]  run id of the Redis process for which control writes it
-- ARGV[3]  the catalog, JSON
-- Returns 1, or 0 if Redis has a later one.

if tonumber(redis.call('HGET', KEYS[1], 'version') or 0) > tonumber(ARGV[1]) then
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'run', ARGV[2], 'json', ARGV[3])
return 1
