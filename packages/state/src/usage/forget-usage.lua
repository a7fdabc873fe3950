#!lua flags=allow-oom
-- Forgets usage of one shard that has been copied, each row unless it is another by now than the one that was copied. One
-- that is final goes altogether; else only its entry in what is not copied. It works at maxmemory, where what it frees is
-- wanted. The shard's marker notes the hour up to which final rows may be gone, for whoever asks whether a row was lost.
--
-- KEYS[1]  usage of the shard that is not copied    KEYS[2]  usage of the shard, by when it is final
-- KEYS[2 + n]  the hash of the account of the nth row
-- ARGV[1]  1 if the rows are final
-- ARGV, four for each row: its name in the lists, its field; its revision and when it began, as they were copied, '' if it
-- was not there any more
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
    redis.call('HSET', hash, field, struct.pack(rowForm, EACH(row, NAME)))
  end
end
local marker = 'shard:' .. string.match(KEYS[1], '{.*}')
if forgotten > (tonumber(redis.call('HGET', marker, 'forgotten')) or 0) then
  redis.call('HSET', marker, 'forgotten', string.format('%.0f', forgotten))
end
return 1
