#!lua flags=allow-oom
-- Stores the pointer of a secret. A pointer never changes, and a secret that died never works again: so a live pointer
-- is only written where there is none, and cannot take back the end that a dead one was given.
--
-- KEYS[1]  pointer
-- ARGV[1]  pointer (JSON)
-- ARGV[2]  when to remove it, ms since the epoch; '' while the secret lives
if ARGV[2] == '' then
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
else
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('PEXPIREAT', KEYS[1], ARGV[2])
end
return 1
