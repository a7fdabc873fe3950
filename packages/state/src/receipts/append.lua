-- Appends receipts to the stream `receipts:{aNN}` of a shard, and drops the oldest ones above a budget of memory. It never fails: a
-- receipt must not stop a settlement.
--
-- An entry's id is `<bytes>-<number>`: the bytes of all entries of the shard so far, this one included, and how many receipts it has. So
-- the first ids that lie more than the budget behind the last one are those to drop, and tell how many receipts are lost. Its one
-- field, `r`, has the receipts as texts, one a line.

-- What an entry takes besides its receipts.
local receiptEntryBytes = 48
-- Entries are dropped when this many bytes have come, as a stream frees its memory in blocks of this size.
local receiptBlockBytes = 4096
-- Maximum entries that one call drops. More never arrive in a block.
local maxDroppedEntries = 64

-- Where the last entry of a stream ended; nil if that is not known.
local function lastReceiptBytes(name)
  local info = redis.pcall('XINFO', 'STREAM', name)
  for n = 1, #info, 2 do
    if info[n] == 'last-generated-id' then
      return string.match(info[n + 1], '^%d+')
    end
  end
end

local function addReceipts(name, total, number, receipts)
  local added = redis.pcall('XADD', name, string.format('%.0f-%.0f', total, number), 'r', receipts)
  return type(added) ~= 'table'
end

local function countDropped(shard, number)
  redis.call('INCRBY', 'receipts-dropped:' .. shard, string.format('%.0f', number))
end

-- Drops entries that end at this many bytes or before.
local function dropReceipts(name, shard, bytes)
  local entries = redis.call('XRANGE', name, '-', string.format('%.0f', bytes), 'COUNT', maxDroppedEntries)
  if #entries == 0 then
    return
  end
  local dropped, last = 0, entries[#entries][1]
  for n = 1, #entries do
    dropped = dropped + tonumber(string.match(entries[n][1], '%d+$'))
  end
  local total, number = string.match(last, '^(%d+)-(%d+)$')
  redis.call('XTRIM', name, 'MINID', total .. '-' .. string.format('%.0f', number + 1))
  countDropped(shard, dropped)
end

-- `shard` is '{aNN}', `budget` the bytes of its receipts, `number` how many receipts the text has.
local function appendReceipts(shard, budget, receipts, number)
  local name, counter, size = 'receipts:' .. shard, 'receipt-bytes:' .. shard, #receipts + receiptEntryBytes
  local total = redis.call('INCRBY', counter, size)
  if not addReceipts(name, total, number, receipts) then
    -- Somebody removed the counter, or wrote something else under the name of the stream.
    redis.call('SET', counter, lastReceiptBytes(name) or '0')
    total = redis.call('INCRBY', counter, size)
    if not addReceipts(name, total, number, receipts) then
      countDropped(shard, number)
      return
    end
  end
  if total % receiptBlockBytes < size and total > budget then
    dropReceipts(name, shard, total - budget)
  end
end
