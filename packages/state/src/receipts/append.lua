-- Appends receipts to the stream `receipts:{aNN}` of a shard. It never fails: a receipt must not stop a settlement. An entry's one field,
-- `r`, has the receipts as texts, one a line.
--
-- Above a budget of memory, the oldest entries are dropped and counted. The size of a stream costs more than to append to it. So it is
-- looked up only in a part of the calls, which the time chooses.
--
-- The budget is an equal share for each shard, but one account may send more than all others. So a shard may take several shares while
-- its oldest entry is young: then control copies, and only what arrived in these seconds is above the budget of all shards. A shard
-- whose oldest entry is older, because control is away or too slow, keeps to its share.

-- One call in so many looks up the size.
local callsPerCheck = 64
-- Where the size cannot be looked up, an entry counts as so many bytes.
local usualEntryBytes = 512
-- Maximum entries that one call drops: more than arrive between two checks.
local maxDroppedEntries = 256
-- The shares that a shard may take while control copies it.
local maxShares = 16
-- Control copies each second. After so many milliseconds in Redis, an entry says that it does not.
local copiedWithinMs = 10000

local function countReceipts(receipts)
  local _, lineEnds = string.gsub(receipts, '\n', '')
  return lineEnds + 1
end

local function countDropped(shard, number)
  redis.call('INCRBY', 'receipts-dropped:' .. shard, string.format('%.0f', number))
end

local function isCopied(name, now)
  local oldest = redis.call('XRANGE', name, '-', '+', 'COUNT', 1)[1][1]
  return now / 1000 - tonumber(string.match(oldest, '^%d+')) < copiedWithinMs
end

local function dropReceipts(name, shard, budget, now)
  local length = redis.call('XLEN', name)
  local bytes = redis.pcall('MEMORY', 'USAGE', name, 'SAMPLES', 1)
  if type(bytes) ~= 'number' then
    bytes = length * usualEntryBytes
  end
  if bytes <= budget then
    return
  end
  if isCopied(name, now) then
    budget = budget * maxShares
    if bytes <= budget then
      return
    end
  end
  -- The share of the entries that is above the budget, by their average size.
  local above = math.min(maxDroppedEntries, math.ceil(length * (1 - budget / bytes)))
  local entries, dropped = redis.call('XRANGE', name, '-', '+', 'COUNT', above), 0
  for n = 1, #entries do
    dropped = dropped + countReceipts(entries[n][2][2])
  end
  local ms, number = string.match(entries[#entries][1], '^(%d+)-(%d+)$')
  redis.call('XTRIM', name, 'MINID', ms .. '-' .. string.format('%.0f', number + 1))
  countDropped(shard, dropped)
end

-- `shard` is '{aNN}', `budget` the bytes of its receipts, `now` the time in µs.
local function appendReceipts(shard, budget, receipts, now)
  local name = 'receipts:' .. shard
  local added = redis.pcall('XADD', name, '*', 'r', receipts)
  if type(added) == 'table' then
    -- Somebody wrote something else under the name.
    countDropped(shard, countReceipts(receipts))
  elseif now % callsPerCheck == 0 then
    dropReceipts(name, shard, budget, now)
  end
end
