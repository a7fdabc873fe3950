#!lua flags=allow-oom
-- Forgets rows of one shard that control has copied, unless they changed since. It deletes final rows, and takes others off
-- the list of uncopied rows. It works at maxmemory, to free memory. The shard's marker notes the hour up to which final rows
-- may be deleted: control asks it whether a row was lost.
--
-- KEYS[1]  `uncopied` of the shard    KEYS[2]  `rows` of the shard
-- KEYS[2 + n]  hash of the nth row's account
-- ARGV[1]  1 if the rows are final
-- ARGV, four for each row: its name in the lists; its field; its revision and when it began, as they were copied, '' if the
-- row was missing
-- Returns 1.

--include layout/usage.lua

local isFinal, forgotten = ARGV[1] == '1', 0
for n = 1, #KEYS - 2 do
  local hash, name, field = KEYS[n + 2], ARGV[4 * n - 2], ARGV[4 * n - 1]
  local row = redis.call('HGET', hash, field)
  local isCopied, EACH(row, NAME) = false
  if row then
    EACH(row, NAME) = readRow(row)
    isCopied = revision == tonumber(ARGV[4 * n]) and born == tonumber(ARGV[4 * n + 1])
  end
  if not row or (isCopied and isFinal) then
    forgotten = math.max(forgotten, tonumber(redis.call('ZSCORE', KEYS[2], name)) or 0)
    redis.call('HDEL', hash, field)
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  elseif isCopied then
    redis.call('HDEL', KEYS[1], name)
    isListed = 0
    redis.call('HSET', hash, field, struct.pack(rowForm, EACH(row, NAME)) .. rareEnd(row))
  end
end
local marker = 'shard:' .. string.match(KEYS[1], '{.*}')
if forgotten > (tonumber(redis.call('HGET', marker, 'forgotten')) or 0) then
  redis.call('HSET', marker, 'forgotten', string.format('%.0f', forgotten))
end
return 1
