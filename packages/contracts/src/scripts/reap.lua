#!lua flags=allow-oom
-- Ends holds of an account that are past their deadline: the gateway that should have settled them has died. They are
-- charged in full and marked as estimated; should they be settled after all, the difference is corrected then. A hold
-- that another run made is only released: it came back with an older state of Redis, and may have been settled in the
-- state that was lost. It works at maxmemory.
--
-- As it reads all that there is of the account, it also removes what keys have of earlier months, which counts as nothing.
--
-- KEYS[1]  the name of the account's record; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  how many holds at most
-- Returns { how many were charged, how many were only released }.

--include parts/books.lua
--include parts/gone.lua
--include parts/hold.lua
--include parts/month.lua
--include parts/names.lua
--include parts/numbers.lua
--include parts/tag.lua
--include parts/usage.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = math.floor(now / 1000)
local ownTag, tail, shard = tagOf(ARGV[1]), tailOf(KEYS[1]), shardOf(KEYS[1])
local books, gonePrefix = 'books' .. tail, goneOf(shard)
local most = whole(ARGV[2])
local changes, sums, charged, released, first = {}, {}, 0, 0, nil
local fields = redis.call('HGETALL', books)
local account = redis.call('HGET', books, 'a')
local month = account and struct.unpack(accountForm, account) or 0
for n = 1, #fields, 2 do
  local field = fields[n]
  local kind = string.sub(field, 1, 2)
  if kind == 'k:' then
    local keyMonth, _, _, arrival = struct.unpack(keyForm, fields[n + 1])
    if keyMonth < month and arrival <= now then
      redis.call('HDEL', books, field)
    end
  elseif kind == 'h:' then
    local deadline, at, granted, nanos, prompt, tokens, _, tag, key, model = readHold(fields[n + 1])
    if deadline > nowMs or charged + released >= most then
      if first == nil or deadline < first then
        first = deadline
      end
    else
      redis.call('HDEL', books, field)
      if tag == ownTag then
        charged = charged + 1
        addChange(changes, monthOf(at), key, nanos, -nanos)
        addUsage(sums, at, key, model, 1, 0, prompt, 0, tokens - prompt, nanos, 1, nanos)
        redis.call('SET', gonePrefix .. string.sub(field, 3), string.format('%.0f|%.0f|%.0f|%.0f|%s|%s', nanos, prompt,
          tokens - prompt, at, key, model), 'PX', goneMs)
      else
        released = released + 1
        addChange(changes, monthOf(at), key, 0, -nanos)
      end
    end
  end
end
writeBooks(books, redis.call('HMGET', books, unpack(fieldsOf(changes))), changes, charged + released, 0, first or 0)
writeUsage(tail, shard, ownTag, now, sums)
local deadlines, id = 'deadlines:' .. shard, accountOf(tail)
if first == nil then
  redis.call('ZREM', deadlines, id)
else
  redis.call('ZADD', deadlines, string.format('%.0f', first), id)
end
return { charged, released }
