#!lua flags=allow-oom
-- Stores pointers from secrets of one shard to their keys. A pointer never changes, but its expiry can: a secret that was
-- revoked works again if Postgres is restored to an earlier state. A late write without expiry only keeps a pointer too long.
--
-- KEYS[n]  the nth pointer
-- ARGV, two for each: pointer (JSON); when it expires, ms since the epoch, '' for never
for n = 1, #KEYS do
  local pointer, removeAt = ARGV[2 * n - 1], ARGV[2 * n]
  redis.call('SET', KEYS[n], pointer)
  if removeAt ~= '' then
    redis.call('PEXPIREAT', KEYS[n], removeAt)
  end
end
return 1
