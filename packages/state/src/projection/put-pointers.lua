#!lua flags=allow-oom
-- Stores pointers of secrets of one shard. A pointer never changes; only whether it ends does: a secret that died lives
-- again if Postgres is restored to before that. A late write of a live pointer over a dead one only keeps it longer than
-- it is needed.
--
-- KEYS[n]  the nth pointer
-- ARGV, two for each: pointer (JSON), when to remove it, ms since the epoch; '' while the secret lives
for n = 1, #KEYS do
  local pointer, removeAt = ARGV[2 * n - 1], ARGV[2 * n]
  redis.call('SET', KEYS[n], pointer)
  if removeAt ~= '' then
    redis.call('PEXPIREAT', KEYS[n], removeAt)
  end
end
return 1
