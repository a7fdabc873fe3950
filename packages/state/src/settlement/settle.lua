#!lua flags=allow-oom
-- Settles requests of one account: it releases each hold, adds the cost and usage, and gives unused tokens back to the token
-- rate. It works at maxmemory. It checks all numbers before it writes.
--
-- A hold may be missing. If it was reaped, the charge is corrected by the difference. Otherwise, on the first attempt, Redis
-- has lost the hold, and the request is settled; on a later attempt, an earlier attempt has settled it.
--
-- An earlier attempt may have reached a Redis process that no longer exists. If the ledger has usage of that run that this
-- process lacks, the ledger may have the request or not. Then its cost counts for budgets, so they are kept, and not as usage, so
-- the ledger does not count it twice. Otherwise this process has all changes of the attempt.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  runs that earlier attempts may have reached (tags in a row); '' on the first attempt
-- ARGV[3]  bytes for the receipts of a shard; '' without receipts
-- ARGV, for each request:
--   id; time of admission, s; key id; model; upstream, '' if none served it; fields of its budgets, separated by spaces;
--   nanodollars, tokens and tokens per minute of the hold; ms from its admission until the full burst is available again;
--   its amount for each usage counter, the rare ones last; its receipt, '' for none. It is added if the usage is counted now, so there
--   are never more receipts than usage.
-- Returns 1; or 0 without a change, if an earlier attempt went to another process and control has not verified this one.

--include layout/ended-hold.lua
--include layout/hold.lua
--include settlement/lost.lua
--include wire/numbers.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include settlement/tokens.lua
--include receipts/append.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag, name = tagOf(ARGV[1]), KEYS[1]
local endedPrefix = endedHoldPrefix(shardOf(name))
local isRetry, isLost = ARGV[2] ~= '', false
if isRetry and ARGV[2] ~= tag then
  local lost = lostRuns(name, ARGV[1])
  if not lost then
    return 0
  end
  isLost = isAnyAmong(ARGV[2], lost)
end
local counters = { EACH(counters, 'NAME'), EACH(rareCounters, 'NAME') }
local beforeCounts = 10
local argumentsEach = beforeCounts + #counters + 1
local receiptBudget = ARGV[3] ~= '' and whole(ARGV[3]) or nil
if (#ARGV - 3) % argumentsEach > 0 then
  error('arguments are missing')
end
local holds = {}
for n = 4, #ARGV, argumentsEach do
  holds[#holds + 1] = 'h:' .. ARGV[n]
end
local held = redis.call('HMGET', name, unpack(holds))

local released, corrected, seen, receipts = {}, {}, {}, {}
local sums, refund = {}, 0

for n = 1, #holds do
  local first = argumentsEach * (n - 1) + 4
  local id, key, model, upstream, budgets = ARGV[first], ARGV[first + 2], ARGV[first + 3], ARGV[first + 4], ARGV[first + 5]
  local at, nanos, tokens = whole(ARGV[first + 1]), whole(ARGV[first + 6]), whole(ARGV[first + 7])
  local perMinute, restMs = whole(ARGV[first + 8]), whole(ARGV[first + 9])
  local counts = {}
  for m, counter in ipairs(counters) do
    counts[counter] = amountOf(counter, ARGV[first + beforeCounts + m - 1])
  end
  if perMinute == 0 then
    error('tokens a minute must be above 0')
  end

  local isSettled, reapedBefore, chargedNanos, chargedTokens, releasedNanos = false, nil, 0, 0, 0
  if seen[id] then
    isSettled = true
  elseif held[n] then
    released[#released + 1], releasedNanos = holds[n], nanos
    local unusedTokens = tokens - counts.promptTokens - counts.completionTokens
    refund = refund + unused(unusedTokens, perMinute, at * 1000000 + restMs * 1000 - now)
  else
    local reaped = redis.call('GET', endedPrefix .. id)
    if reaped and reaped ~= 'cancelled' then
      reapedBefore = reapedCounts(readReaped(reaped))
      chargedNanos, chargedTokens = reapedBefore.costNanos, reapedBefore.promptTokens + reapedBefore.completionTokens
      corrected[#corrected + 1] = endedPrefix .. id
    else
      isSettled = isRetry and not isLost
    end
  end
  seen[id] = true
  if not isSettled then
    sums[#sums + 1] = { keyField = 'k:' .. key, model = model, upstream = upstream, at = at,
      settled = counts.costNanos - chargedNanos, reserved = -releasedNanos, budgets = budgets,
      tokens = counts.promptTokens + counts.completionTokens - chargedTokens, reservedTokens = held[n] and -tokens or 0,
      requests = reapedBefore and 0 or 1, closed = held[n] and 1 or 0,
      counts = (reapedBefore or not isLost) and counts or nil }
    local receipt = ARGV[first + argumentsEach - 1]
    if sums[#sums].counts and receiptBudget and receipt ~= '' then
      receipts[#receipts + 1] = receipt
    end
  end
  if reapedBefore then
    -- It was counted in a row without an upstream.
    for counter, counted in pairs(reapedBefore) do
      reapedBefore[counter] = -counted
    end
    sums[#sums + 1] = { keyField = 'k:' .. key, model = model, at = at, settled = 0, reserved = 0, budgets = '',
      counts = reapedBefore }
  end
end

if #released > 0 then
  redis.call('HDEL', name, unpack(released))
end
if #corrected > 0 then
  redis.call('DEL', unpack(corrected))
end
postSums(name, now, tag, sums, #released, refund)
if #receipts > 0 then
  appendReceipts(shardOf(name), receiptBudget, table.concat(receipts, '\n'), now)
end
return 1
