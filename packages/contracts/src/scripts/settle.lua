#!lua flags=allow-oom
-- Settles requests of one account: each hold is released, what was used is added to spend and usage, and what was
-- reserved of the token rate and not used is given back. It works at maxmemory. Every number is checked before the first
-- write.
--
-- A hold may be missing. If it was reaped, the difference to what was charged then is corrected. Else on the first
-- attempt Redis has lost it, and everything is applied; and on a later one an earlier attempt has applied it. On a later
-- attempt a hold of another run, which came back with an older state of Redis, is only released: an earlier attempt may
-- have been applied in the state that was lost, and copied into the ledger.
--
-- KEYS[1]  spend    KEYS[2]  limiters    KEYS[3]  holds    KEYS[4]  beginning of the names of what reaped requests leave
-- KEYS[5]  beginning of the names of the account's usage
-- KEYS[6]  usage of the shard that is not copied           KEYS[7]  usage of the shard, by when it is final
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, 15 for each request:
--   id; 0 on the first attempt, else 1; when it was admitted, s; key id; model;
--   nanodollars, tokens and tokens a minute of the hold; ms from its admission until the tokens taken so far were back;
--   its cost, nanodollars; prompt, cached and completion tokens; 1 if it failed; 1 if this is estimated
-- Returns 1.

--include parts/gone.lua
--include parts/hold.lua
--include parts/month.lua
--include parts/numbers.lua
--include parts/spend.lua
--include parts/tag.lua
--include parts/tokens.lua
--include parts/usage.lua

local each = 15
local items = {}
for first = 2, #ARGV, each do
  items[#items + 1] = {
    id = ARGV[first],
    isRetry = whole(ARGV[first + 1]) == 1,
    at = whole(ARGV[first + 2]),
    key = ARGV[first + 3],
    model = ARGV[first + 4],
    nanos = whole(ARGV[first + 5]),
    tokens = whole(ARGV[first + 6]),
    perMinute = positive(ARGV[first + 7]),
    restMs = whole(ARGV[first + 8]),
    cost = whole(ARGV[first + 9]),
    prompt = whole(ARGV[first + 10]),
    cached = whole(ARGV[first + 11]),
    completion = whole(ARGV[first + 12]),
    failed = whole(ARGV[first + 13]),
    estimated = whole(ARGV[first + 14])
  }
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag = tagOf(ARGV[1])
local spend = openSpend(KEYS[1])
local usage = openUsage(KEYS[5], KEYS[6], KEYS[7], tag, tonumber(time[1]))
local function isOfAnotherRun(id)
  local held = redis.call('HGET', KEYS[3], id)
  return held and select(8, readHold(held)) ~= tag
end
local refund = 0
for _, item in ipairs(items) do
  local cost, prompt, completion, estimated = item.cost, item.prompt, item.completion, item.estimated
  local counters = {
    n = 1, e = item.failed, p = prompt, c = item.cached, o = completion, u = cost, x = estimated, y = estimated * cost
  }
  if item.isRetry and isOfAnotherRun(item.id) then
    redis.call('HDEL', KEYS[3], item.id)
    spend.change(monthOf(item.at), item.key, 0, -item.nanos)
    counters = nil
  elseif redis.call('HDEL', KEYS[3], item.id) == 1 then
    spend.change(monthOf(item.at), item.key, cost, -item.nanos)
    refund = refund + unused(item.tokens - prompt - completion, item.perMinute, item.at * 1000000 + item.restMs * 1000 - now)
  else
    local gone = redis.call('GET', KEYS[4] .. item.id)
    local chargedNanos, chargedPrompt, chargedCompletion = readReaped(gone)
    if chargedNanos then
      redis.call('DEL', KEYS[4] .. item.id)
      spend.change(monthOf(item.at), item.key, cost - chargedNanos, 0)
      counters.n, counters.p, counters.o = 0, prompt - chargedPrompt, completion - chargedCompletion
      counters.u, counters.x, counters.y = cost - chargedNanos, estimated - 1, estimated * cost - chargedNanos
    elseif item.isRetry then
      counters = nil
    else
      spend.change(monthOf(item.at), item.key, cost, 0)
    end
  end
  if counters then
    usage.add(item.at, item.key, item.model, counters)
  end
end
spend.write()
usage.write()
giveBack(KEYS[2], refund)
return 1
