#!lua flags=allow-oom
-- Settles requests that were never settled before, in groups of one account each, as settle.lua does: a group of which
-- every request has its hold at once, by sums; any other is left as it is. It works at maxmemory. Every number is checked
-- before the first write.
--
-- KEYS, 6 for each group:
--   spend; limiters; holds; beginning of the names of the account's usage; usage of the shard that is not copied;
--   usage of the shard, by when it is final
-- ARGV[1] run id of the Redis process at the other end of this connection
-- ARGV for each group:
--   how many requests follow, and how many sums
--   for each request: id; µs of the rate of tokens that it took and did not use, below 0 if it used more than it took;
--     when the tokens that had been taken up to its admission are back, µs since the epoch
--   for each sum, of requests of one hour, key and model: when one of them was admitted, s; key id; model;
--     nanodollars of their holds and of their cost; how many; how many failed; prompt, cached and completion tokens;
--     how many are estimated, and nanodollars of these
-- Returns the numbers of the groups that were left, from 1.

--include parts/month.lua
--include parts/numbers.lua
--include parts/spend.lua
--include parts/tag.lua
--include parts/tokens.lua
--include parts/usage.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag = tagOf(ARGV[1])

-- Reads a group, of which `at` is the place of the first argument. Returns what it says, and where the next begins.
local function read(at)
  local requests, count = positive(ARGV[at]), positive(ARGV[at + 1])
  local firstSum = at + 2 + 3 * requests
  local next = firstSum + 12 * count
  if next > #ARGV + 1 then
    error('fewer arguments than requests')
  end
  local group = { ids = {}, refund = 0, sums = {} }
  for n = 1, requests do
    local first = at + 3 * n - 1
    local micros = tonumber(ARGV[first + 1])
    if not (micros and micros > -1e30 and micros < 1e30) then
      error('not a number: ' .. tostring(ARGV[first + 1]))
    end
    group.ids[n] = ARGV[first]
    group.refund = group.refund + stillTaken(micros, whole(ARGV[first + 2]) - now)
  end
  for n = 1, count do
    local first = firstSum + 12 * (n - 1)
    local at, held, cost = tonumber(ARGV[first]), tonumber(ARGV[first + 3]), tonumber(ARGV[first + 4])
    local number, failed, prompt = tonumber(ARGV[first + 5]), tonumber(ARGV[first + 6]), tonumber(ARGV[first + 7])
    local cached, completion = tonumber(ARGV[first + 8]), tonumber(ARGV[first + 9])
    local estimated, estimatedCost = tonumber(ARGV[first + 10]), tonumber(ARGV[first + 11])
    insistOnWhole(at, held, cost, number, failed, prompt)
    insistOnWhole(cached, completion, estimated, estimatedCost, 0, 0)
    group.sums[n] = {
      at = at, key = ARGV[first + 1], model = ARGV[first + 2], held = held,
      counters = {
        n = number, e = failed, p = prompt, c = cached, o = completion, u = cost, x = estimated, y = estimatedCost
      }
    }
  end
  return group, next
end

local groups, at = {}, 2
while at <= #ARGV do
  groups[#groups + 1], at = read(at)
end

local left = {}
for n, group in ipairs(groups) do
  local first = 6 * n - 5
  local holds, areHeld = KEYS[first + 2], true
  for _, held in ipairs(redis.call('HMGET', holds, unpack(group.ids))) do
    areHeld = areHeld and held
  end
  if areHeld then
    local spend = openSpend(KEYS[first])
    local usage = openUsage(KEYS[first + 3], KEYS[first + 4], KEYS[first + 5], tag, tonumber(time[1]))
    for _, sum in ipairs(group.sums) do
      spend.change(monthOf(sum.at), sum.key, sum.counters.u, -sum.held)
      usage.add(sum.at, sum.key .. '|' .. sum.model, sum.counters)
    end
    redis.call('HDEL', holds, unpack(group.ids))
    spend.write()
    usage.write()
    giveBack(KEYS[first + 1], group.refund)
  else
    left[#left + 1] = n
  end
end
return left
