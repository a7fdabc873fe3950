#!lua flags=allow-oom
-- Stores pointers of secrets of one shard. A pointer never changes, and a secret that died never works again: so a live
-- pointer is only written where there is none, and cannot take back the end that a dead one was given.
--
-- KEYS[n]  the nth pointer
-- ARGV, two for each: pointer (JSON), when to remove it, ms since the epoch; '' while the secret lives
for n = 1, #KEYS do
  local pointer, removeAt = ARGV[2 * n - 1], ARGV[2 * n]
  if removeAt == '' then
    redis.call('SET', KEYS[n], pointer, 'NX')
  else
    redis.call('SET', KEYS[n], pointer)
    redis.call('PEXPIREAT', KEYS[n], removeAt)
  end
end
return 1
