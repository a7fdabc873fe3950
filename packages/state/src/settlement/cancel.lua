#!lua flags=allow-oom
-- Cancels requests of one account that may have been admitted and were sent to no upstream. It charges nothing and refunds
-- requests that were reaped meanwhile. An entry for each request without a hold stops an admission that arrives later. A hold is the
-- work of an admission that has arrived, so it needs no entry: clients that hang up leave nothing. It works at maxmemory.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  bytes for the receipts of a shard; '' without receipts
-- ARGV     ids of requests
-- Returns 1.

--include layout/ended-hold.lua
--include layout/hold.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include settlement/tokens.lua
--include wire/numbers.lua
--include receipts/append.lua
--include receipts/reaped.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local name = KEYS[1]
local endedPrefix = endedHoldPrefix(shardOf(name))
local receiptBudget = ARGV[2] ~= '' and whole(ARGV[2]) or nil
local sums, receipts, closed, refund, entries = {}, {}, 0, 0, 0
for n = 3, #ARGV do
  local id = ARGV[n]
  local held = redis.call('HGET', name, 'h:' .. id)
  if held then
    local EACH(hold, NAME) = readHold(held)
    redis.call('HDEL', name, 'h:' .. id)
    closed = closed + 1
    sums[#sums + 1] = { keyField = keyField, model = model, at = at, settled = 0, reserved = -nanos,
      tokens = 0, reservedTokens = -tokens, requests = 0, closed = 1, budgets = budgets }
    refund = refund + unused(tokens, tokensPerMinute, at * 1000000 + tokens * 60000000 / tokensPerMinute - now)
  else
    local nanos, prompt, completion, at, key, model, budgets = readReaped(redis.call('GET', endedPrefix .. id))
    if nanos then
      local counts = reapedCounts(nanos, prompt, completion)
      for counter, counted in pairs(counts) do
        counts[counter] = -counted
      end
      sums[#sums + 1] = { keyField = 'k:' .. key, model = model, at = at, settled = -nanos, reserved = 0,
        tokens = -prompt - completion, reservedTokens = 0, requests = -1, closed = 0, budgets = budgets, counts = counts }
      -- It replaces the receipt of the reaped request.
      receipts[#receipts + 1] = receiptBudget and reapedReceipt(cancelledKind, id, accountOf(name), key, at, model, nanos,
        prompt + completion, nil, 0, 0, 0)
    end
    redis.call('SET', endedPrefix .. id, 'cancelled', 'PX', endedHoldMs)
    entries = entries + 1
  end
end
postSums(name, now, tagOf(ARGV[1]), sums, closed, refund, nil, entries > 0 and endedHoldExpiry(now) or nil)
if #receipts > 0 then
  appendReceipts(shardOf(name), receiptBudget, table.concat(receipts, '\n'), now)
end
return 1
