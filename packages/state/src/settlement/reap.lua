#!lua flags=allow-oom
-- Ends holds of an account that are past their deadline: the gateway that should have settled them has died. They are
-- charged in full and marked as estimated; should they be settled after all, the difference is corrected then. A hold
-- that another run made came back with a restart. If the ledger has more than came back, it is only released: it may have
-- been settled in the state that was lost. It stays until control has found out. It works at maxmemory.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  the first deadline of the other holds that were there when overdue ones were looked for, ms, '' if there were none
-- ARGV[3]  before when no hold ends that was made since then, ms
-- ARGV     ids of requests whose holds were found to be overdue
-- Returns { how many were charged, how many were only released }.

--include layout/gone.lua
--include layout/hold.lua
--include settlement/lost.lua
--include wire/numbers.lua
--include settlement/posting.lua
--include keyspace/tag.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = math.floor(now / 1000)
local ownTag, name = tagOf(ARGV[1]), KEYS[1]
local gonePrefix = goneOf(shardOf(name))
local first = whole(ARGV[3])
if ARGV[2] ~= '' then
  first = math.min(first, whole(ARGV[2]))
end

local lost = lostRuns(name, ARGV[1])
local sums, charged, released = {}, 0, 0
for n = 4, #ARGV do
  local field = 'h:' .. ARGV[n]
  local packed = redis.call('HGET', name, field)
  if packed then
    local EACH(hold, NAME) = readHold(packed)
    if deadline > nowMs or (tag ~= ownTag and not lost) then
      first = math.min(first, deadline)
    else
      redis.call('HDEL', name, field)
      if tag == ownTag or lost == '' then
        charged = charged + 1
        local completionTokens = tokens - promptTokens
        sums[#sums + 1] = { keyField = keyField, model = model, at = at, settled = nanos, reserved = -nanos,
          counts = reapedCounts(nanos, promptTokens, completionTokens) }
        redis.call('SET', gonePrefix .. ARGV[n], string.format('%.0f|%.0f|%.0f|%.0f|%s|%s', nanos, promptTokens,
          completionTokens, at, string.sub(keyField, 3), model), 'PX', goneMs)
      else
        released = released + 1
        sums[#sums + 1] = { keyField = keyField, model = model, at = at, settled = 0, reserved = -nanos }
      end
    end
  end
end
local due = postSums(name, now, ownTag, sums, charged + released, 0, first, charged > 0 and goneUntil(now) or nil)
local deadlines, id = 'deadlines:' .. shardOf(name), accountOf(name)
if due == 0 then
  redis.call('ZREM', deadlines, id)
else
  redis.call('ZADD', deadlines, string.format('%.0f', due), id)
end
return { charged, released }
