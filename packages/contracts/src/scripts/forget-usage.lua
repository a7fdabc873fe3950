#!lua flags=allow-oom
-- Forgets usage of one shard that has been copied, each hash unless it is another by now than the one that was copied.
-- One that is final goes altogether; else only its entry in what is not copied. It works at maxmemory, where what it
-- frees is wanted.
--
-- KEYS[1]  usage of the shard that is not copied    KEYS[2]  usage of the shard, by when it is final
-- KEYS[2 + n]  the nth hash
-- ARGV[1]  1 if the hashes are final
-- ARGV, two for each hash: `rev` and `born` as they were copied
-- Returns 1.
local isFinal = ARGV[1] == '1'
for n = 1, #KEYS - 2 do
  local name = KEYS[n + 2]
  local found = redis.call('HMGET', name, 'rev', 'born')
  if not found[1] or (isFinal and found[1] == ARGV[2 * n] and (found[2] or '') == ARGV[2 * n + 1]) then
    redis.call('DEL', name)
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  elseif found[1] == ARGV[2 * n] and (found[2] or '') == ARGV[2 * n + 1] then
    redis.call('HDEL', KEYS[1], name)
  end
end
return 1
