-- Cumulative usage counters. Each hour of admission, run of Redis, key and model has one row, so control can copy absolute
-- values any number of times. A row is final when the next hour is over. Later settlements go into another row.
--
-- A row is a field of its account's hash, `u:<hour>:<run>|<key>|<model>`. Its parts: the counters; `revision`, which every
-- change raises; `born`, when it began (µs since the epoch), so a row that was lost and began again counts as another one;
-- and `isListed`, 1 if `uncopied` has it, else 0.
-- Two lists of the shard name rows as `<account>:<hour>:<run>|<key>|<model>`. `uncopied` has the rows that changed since
-- control last copied them. `rows` has all rows, in order of the hour in which they are final.
local rowForm = FORM(row)
local noRow = struct.pack(rowForm, EACH(row, 0))

-- Returns the parts of a row. Rows of older versions have fewer counters; missing counters are 0.
local function readRow(packed)
  if #packed < #noRow then
    packed = packed .. string.sub(noRow, #packed + 1)
  end
  return struct.unpack(rowForm, packed)
end

-- Returns the beginning of fields for a time of admission (s), before `<key>|<model>`, and the hour in which they are final.
-- Most calls of a script ask for the same hour.
local rowsHour, rowsBeginning, rowsFinalIn
local function beginningOfRows(at, now, tag)
  local hour = (at - at % 3600) / 3600
  if hour ~= rowsHour then
    local nowHour = math.floor(now / 3600000000)
    rowsHour, rowsFinalIn, rowsBeginning = hour, hour + 2, string.format('u:%d:%s', hour, tag)
    if nowHour >= rowsFinalIn then
      rowsFinalIn, rowsBeginning = nowHour + 2, rowsBeginning .. string.format('~%d', nowHour)
    end
    rowsBeginning = rowsBeginning .. '|'
  end
  return rowsBeginning, rowsFinalIn
end

-- The name of a row in the lists of its shard.
local function rowName(account, field)
  return account .. string.sub(field, 2)
end
