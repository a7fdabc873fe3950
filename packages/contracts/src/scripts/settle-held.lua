#!lua flags=allow-oom
-- Settles requests that were never settled before, in groups of one account each, as settle.lua does: a group of which
-- every request has its hold at once, by sums; any other is left as it is. It works at maxmemory. Every number is checked
-- before the first write.
--
-- KEYS     for each group the name of its account's record; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, one for each group, packed as struct.unpack reads it; numbers are doubles (8 bytes, the lowest first), texts end with
-- a zero byte:
--   how many requests follow, and how many sums
--   for each request: µs of the rate of tokens that it took and did not use, below 0 if it used more than it took; when
--     the tokens that had been taken up to its admission are back, µs since the epoch; id
--   for each sum, of requests of one hour, key and model: when one of them was admitted, s; nanodollars of their holds and
--     of their cost; how many; how many failed; prompt, cached and completion tokens; how many are estimated, and
--     nanodollars of these; key id; model
-- Returns the numbers of the groups that were left, from 1.

--include parts/books.lua
--include parts/month.lua
--include parts/names.lua
--include parts/numbers.lua
--include parts/tag.lua
--include parts/tokens.lua
--include parts/usage.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag = tagOf(ARGV[1])
local unpackFields = struct.unpack

local function read(packed)
  local requests, count, position = unpackFields('<dd', packed)
  insistOnWhole(requests, count, 0, 0, 0, 0)
  local ids, refund, changes, sums = {}, 0, {}, {}
  for n = 1, requests do
    local micros, back
    micros, back, ids[n], position = unpackFields('<dds', packed, position)
    if not (micros > -1e30 and micros < 1e30) then
      error('not a number')
    end
    insistOnWhole(back, 0, 0, 0, 0, 0)
    refund = refund + stillTaken(micros, back - now)
  end
  for n = 1, count do
    local at, held, cost, number, failed, prompt, cached, completion, estimated, estimatedCost, key, model
    at, held, cost, number, failed, prompt, cached, completion, estimated, estimatedCost, key, model, position =
      unpackFields('<ddddddddddss', packed, position)
    insistOnWhole(at, held, cost, number, failed, prompt)
    insistOnWhole(cached, completion, estimated, estimatedCost, 0, 0)
    addChange(changes, monthOf(at), key, cost, -held)
    addUsage(sums, at, key, model, number, failed, prompt, cached, completion, cost, estimated, estimatedCost)
  end
  if requests == 0 or count == 0 or position <= #packed then
    error('not what was said')
  end
  return { ids, refund, changes, sums }
end

local groups = {}
for n = 1, #ARGV - 1 do
  groups[n] = read(ARGV[n + 1])
end

local left = {}
for n = 1, #groups do
  local ids, refund, changes, sums = unpack(groups[n])
  local tail, shard = tailOf(KEYS[n]), shardOf(KEYS[n])
  local books, fields, holds = 'books' .. tail, fieldsOf(changes), {}
  local first = #fields
  for m = 1, #ids do
    holds[m] = 'h:' .. ids[m]
    fields[first + m] = holds[m]
  end
  local values, areHeld = redis.call('HMGET', books, unpack(fields)), true
  for m = first + 1, #fields do
    areHeld = areHeld and values[m]
  end
  if areHeld then
    redis.call('HDEL', books, unpack(holds))
    writeBooks(books, values, changes, #ids, refund)
    writeUsage(tail, shard, tag, now, sums)
  else
    left[#left + 1] = n
  end
end
return left
