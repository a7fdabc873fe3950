#!lua flags=allow-oom
-- Settles requests of one account: each hold is released, what was used is added to spend and usage, and what was
-- reserved of the token rate and not used is given back. It works at maxmemory. Every number is checked before the first
-- write.
--
-- A hold may be missing. If it was reaped, the difference to what was charged then is corrected. Else on the first
-- attempt Redis has lost it, and everything is applied; and on a later one an earlier attempt has applied it.
--
-- An earlier attempt may have reached a process that is gone. If control has found that the ledger has more of that run than
-- this process, nobody knows whether the ledger has the request. Its cost then counts against the caps, so that these hold,
-- and not as usage, so that the ledger does not count it twice. Else whatever the attempt did is here too, or nowhere.
--
-- KEYS[1]  hash of the account; in a cluster also the guard of its shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  the runs in which earlier attempts were perhaps applied (tags, one after the other); '' if nothing was sent before
-- ARGV, 14 for each request:
--   id; when it was admitted, s; key id; model;
--   nanodollars, tokens and tokens a minute of the hold; ms from its admission until the tokens taken so far were back;
--   its cost, nanodollars; prompt, cached and completion tokens; 1 if it failed; 1 if this is estimated
-- Returns 1; or 0 if nothing was done, since another process was tried before and control has not verified this one yet.

--include layout/gone.lua
--include layout/hold.lua
--include settlement/lost.lua
--include wire/numbers.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include settlement/tokens.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag, name = tagOf(ARGV[1]), KEYS[1]
local gonePrefix = goneOf(shardOf(name))
local isRetry, isLost = ARGV[2] ~= '', false
if isRetry and ARGV[2] ~= tag then
  local lost = lostRuns(name, ARGV[1])
  if not lost then
    return 0
  end
  isLost = isAnyAmong(ARGV[2], lost)
end
local holds = {}
for n = 3, #ARGV, 14 do
  holds[#holds + 1] = 'h:' .. ARGV[n]
end
local held = redis.call('HMGET', name, unpack(holds))

local released, corrected, seen = {}, {}, {}
local sums, refund = {}, 0

for n = 1, #holds do
  local first = 14 * n - 11
  local id, key, model = ARGV[first], ARGV[first + 2], ARGV[first + 3]
  local at, nanos = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 4])
  local tokens, perMinute, restMs =
    tonumber(ARGV[first + 5]), tonumber(ARGV[first + 6]), tonumber(ARGV[first + 7])
  local cost, prompt, cached = tonumber(ARGV[first + 8]), tonumber(ARGV[first + 9]), tonumber(ARGV[first + 10])
  local completion, failed, estimated =
    tonumber(ARGV[first + 11]), tonumber(ARGV[first + 12]), tonumber(ARGV[first + 13])
  insistOnWhole(at, nanos, tokens, perMinute, restMs, 0)
  insistOnWhole(cost, prompt, cached, completion, failed, estimated)
  if perMinute == 0 then
    error('not above 0: tokens a minute')
  end

  -- What it is charged already; nil if that is all.
  local charged, chargedPrompt, chargedCompletion = 0, 0, 0
  local isNew, releasedNanos = 1, 0
  if seen[id] then
    charged = nil
  elseif held[n] then
    released[#released + 1], releasedNanos = holds[n], nanos
    refund = refund + unused(tokens - prompt - completion, perMinute, at * 1000000 + restMs * 1000 - now)
  else
    local reaped = redis.call('GET', gonePrefix .. id)
    if reaped and reaped ~= 'cancelled' then
      charged, chargedPrompt, chargedCompletion = readReaped(reaped)
      isNew = 0
      corrected[#corrected + 1] = gonePrefix .. id
    elseif isRetry and not isLost then
      charged = nil
    end
  end
  seen[id] = true
  local keyField = 'k:' .. key
  if charged and isLost and isNew == 1 then
    sums[#sums + 1] = { keyField, model, at, cost, -releasedNanos }
  elseif charged then
    sums[#sums + 1] = { keyField, model, at, cost - charged, -releasedNanos, isNew, failed, prompt - chargedPrompt, cached,
      completion - chargedCompletion, cost - charged, estimated - 1 + isNew, estimated * cost - charged }
  end
end

if #released > 0 then
  redis.call('HDEL', name, unpack(released))
end
if #corrected > 0 then
  redis.call('DEL', unpack(corrected))
end
postSums(name, now, tag, sums, #released, refund)
return 1
