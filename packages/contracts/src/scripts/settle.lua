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

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag = tagOf(ARGV[1])
local ids = {}
for n = 2, #ARGV, 15 do
  ids[#ids + 1] = ARGV[n]
end
local held = redis.call('HMGET', KEYS[3], unpack(ids))

local released, corrected, seen = {}, {}, {}
local refund = 0
-- What belongs together is added up before it is written: requests of one hour, key and model.
local groups, group = {}, nil
local function groupOf(hour, at, key, model)
  for _, one in ipairs(groups) do
    if one.hour == hour and one.key == key and one.model == model then
      return one
    end
  end
  local new = {
    hour = hour, at = at, key = key, model = model, settled = 0, reserved = 0,
    counters = { n = 0, e = 0, p = 0, c = 0, o = 0, u = 0, x = 0, y = 0 }
  }
  groups[#groups + 1] = new
  return new
end

for n = 1, #ids do
  local first = 15 * n - 13
  local id, key, model = ids[n], ARGV[first + 3], ARGV[first + 4]
  local isRetry, at, nanos = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2]), tonumber(ARGV[first + 5])
  local tokens, perMinute, restMs =
    tonumber(ARGV[first + 6]), tonumber(ARGV[first + 7]), tonumber(ARGV[first + 8])
  local cost, prompt, cached = tonumber(ARGV[first + 9]), tonumber(ARGV[first + 10]), tonumber(ARGV[first + 11])
  local completion, failed, estimated =
    tonumber(ARGV[first + 12]), tonumber(ARGV[first + 13]), tonumber(ARGV[first + 14])
  insistOnWhole(isRetry, at, nanos, tokens, perMinute, restMs)
  insistOnWhole(cost, prompt, cached, completion, failed, estimated)
  if perMinute == 0 then
    error('not above 0: tokens a minute')
  end

  local hour = (at - at % 3600) / 3600
  if not group or group.hour ~= hour or group.key ~= key or group.model ~= model then
    group = groupOf(hour, at, key, model)
  end
  -- What it is charged beside what is charged already; nil if that is all.
  local charged, chargedPrompt, chargedCompletion = 0, 0, 0
  local isNew = 1
  if seen[id] then
    charged = nil
  elseif held[n] then
    released[#released + 1] = id
    group.reserved, group.changes = group.reserved - nanos, true
    if isRetry == 1 and select(8, readHold(held[n])) ~= tag then
      charged = nil
    else
      refund = refund + unused(tokens - prompt - completion, perMinute, at * 1000000 + restMs * 1000 - now)
    end
  else
    local reaped = redis.call('GET', KEYS[4] .. id)
    if reaped and reaped ~= 'cancelled' then
      charged, chargedPrompt, chargedCompletion = readReaped(reaped)
      isNew = 0
      corrected[#corrected + 1] = KEYS[4] .. id
    elseif isRetry == 1 then
      charged = nil
    end
  end
  seen[id] = true
  if charged then
    local sums = group.counters
    group.settled, group.changes = group.settled + cost - charged, true
    sums.n, sums.e, sums.u = sums.n + isNew, sums.e + failed, sums.u + cost - charged
    sums.p, sums.c, sums.o = sums.p + prompt - chargedPrompt, sums.c + cached, sums.o + completion - chargedCompletion
    sums.x, sums.y = sums.x + estimated - 1 + isNew, sums.y + estimated * cost - charged
    group.counts = true
  end
end

local spend = openSpend(KEYS[1])
local usage = openUsage(KEYS[5], KEYS[6], KEYS[7], tag, tonumber(time[1]))
for _, one in ipairs(groups) do
  if one.changes then
    spend.change(monthOf(one.at), one.key, one.settled, one.reserved)
  end
  if one.counts then
    usage.add(one.at, one.key .. '|' .. one.model, one.counters)
  end
end
if #released > 0 then
  redis.call('HDEL', KEYS[3], unpack(released))
end
if #corrected > 0 then
  redis.call('DEL', unpack(corrected))
end
spend.write()
usage.write()
giveBack(KEYS[2], refund)
return 1
