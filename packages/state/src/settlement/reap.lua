#!lua flags=allow-oom
-- Ends overdue holds of an account: the gateway that should have settled them has died. It charges them in full, as
-- estimates; a late settlement corrects the difference. A hold of another run came back when Redis restarted with old data.
-- If the ledger has usage that this data lacks, the hold is only released, since it may have been settled before. Such a hold
-- stays until control has verified the shard. It works at maxmemory.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  first deadline of the holds that were found and are not overdue, ms; '' without such holds
-- ARGV[3]  no hold that was made since then ends before this time, ms
-- ARGV[4]  bytes for the receipts of a shard; '' without receipts
-- ARGV     ids of requests whose holds were found overdue
-- Returns { number of charged holds, number of holds that were only released }.

--include layout/ended-hold.lua
--include layout/hold.lua
--include settlement/lost.lua
--include wire/numbers.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include receipts/append.lua
--include receipts/reaped.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = math.floor(now / 1000)
local ownTag, name = tagOf(ARGV[1]), KEYS[1]
local endedPrefix = endedHoldPrefix(shardOf(name))
local first = whole(ARGV[3])
if ARGV[2] ~= '' then
  first = math.min(first, whole(ARGV[2]))
end

local lost = lostRuns(name, ARGV[1])
local receiptBudget = ARGV[4] ~= '' and whole(ARGV[4]) or nil
local sums, receipts, charged, released = {}, {}, 0, 0
for n = 5, #ARGV do
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
          tokens = tokens, reservedTokens = -tokens, requests = 1, closed = 1, budgets = budgets,
          counts = reapedCounts(nanos, promptTokens, completionTokens) }
        local key = string.sub(keyField, 3)
        redis.call('SET', endedPrefix .. ARGV[n], string.format('%.0f|%.0f|%.0f|%.0f|%s|%s', nanos, promptTokens,
          completionTokens, at, budgets == '' and key or key .. ' ' .. budgets, model), 'PX', endedHoldMs)
        receipts[#receipts + 1] = receiptBudget and reapedReceipt(reapedKind, ARGV[n], accountOf(name), key, at, model, nanos, tokens, granted, nanos, promptTokens, completionTokens)
      else
        released = released + 1
        sums[#sums + 1] = { keyField = keyField, model = model, at = at, settled = 0, reserved = -nanos,
          tokens = 0, reservedTokens = -tokens, requests = 0, closed = 1, budgets = budgets }
      end
    end
  end
end
local due = postSums(name, now, ownTag, sums, charged + released, 0, first, charged > 0 and endedHoldExpiry(now) or nil)
if #receipts > 0 then
  appendReceipts(shardOf(name), receiptBudget, table.concat(receipts, '\n'), now)
end
local deadlines, id = 'deadlines:' .. shardOf(name), accountOf(name)
if due == 0 then
  redis.call('ZREM', deadlines, id)
else
  redis.call('ZADD', deadlines, string.format('%.0f', due), id)
end
return { charged, released }
