#!lua flags=allow-oom
-- Ends holds of an account that are past their deadline: the gateway that should have settled them has died. They are
-- charged in full and marked as estimated; should they be settled after all, the difference is corrected then. A hold
-- that another run made is only released: it came back with an older state of Redis, and may have been settled in the
-- state that was lost. It works at maxmemory.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  how many holds at most
-- Returns { how many were charged, how many were only released }.

--include parts/gone.lua
--include parts/hold.lua
--include parts/numbers.lua
--include parts/posting.lua
--include parts/tag.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = math.floor(now / 1000)
local ownTag, name = tagOf(ARGV[1]), KEYS[1]
local gonePrefix = goneOf(shardOf(name))
local most = whole(ARGV[2])

-- An account may have many more fields than holds: those that match are looked for without bringing the others here.
local holds, cursor = {}, '0'
repeat
  local page = redis.call('HSCAN', name, cursor, 'MATCH', 'h:*', 'COUNT', 1000)
  cursor = page[1]
  for n = 1, #page[2], 2 do
    holds[page[2][n]] = page[2][n + 1]
  end
until cursor == '0'

local sums, charged, released, first = {}, 0, 0, nil
for field, packed in pairs(holds) do
  local deadline, at, granted, nanos, prompt, tokens, _, tag, keyField, model = readHold(packed)
  if deadline > nowMs or charged + released >= most then
    if first == nil or deadline < first then
      first = deadline
    end
  else
    redis.call('HDEL', name, field)
    if tag == ownTag then
      charged = charged + 1
      sums[#sums + 1] = { keyField, model, at, nanos, -nanos, 1, 0, prompt, 0, tokens - prompt, nanos, 1, nanos }
      redis.call('SET', gonePrefix .. string.sub(field, 3), string.format('%.0f|%.0f|%.0f|%.0f|%s|%s', nanos, prompt,
        tokens - prompt, at, string.sub(keyField, 3), model), 'PX', goneMs)
    else
      released = released + 1
      sums[#sums + 1] = { keyField, model, at, 0, -nanos }
    end
  end
end
postSums(name, now, ownTag, sums, charged + released, 0, first or 0, charged > 0 and goneUntil(now) or nil)
local deadlines, id = 'deadlines:' .. shardOf(name), accountOf(name)
if first == nil then
  redis.call('ZREM', deadlines, id)
else
  redis.call('ZADD', deadlines, string.format('%.0f', first), id)
end
return { charged, released }
