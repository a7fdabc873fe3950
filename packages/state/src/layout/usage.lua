-- Cumulative counters of usage. There is one row for each hour of admission, run of Redis, key and model, so that control can
-- copy absolute values, however often. After the end of the hour that follows, a row is final: what comes even later goes
-- into one of its own.
--
-- A row is a field of its account's hash, `u:<hour>:<run>|<key>|<model>`, packed: the counters; its revision, raised by every
-- change; when it began (µs since the epoch), which tells it from one of the same name that a flush has taken away; and 1 if
-- it is in `uncopied`, else 0.
-- In `uncopied` and `rows` of the shard are rows, as `<account>:<hour>:<run>|<key>|<model>`: those that changed since control
-- last copied them, and all, in order of the hour in which they are final.
local rowForm = FORM(row)
local noRow = struct.pack(rowForm, EACH(row, 0))

-- Returns the parts of a row. An older version may have written fewer counters: those that it lacks are 0.
local function readRow(packed)
  if #packed < #noRow then
    packed = packed .. string.sub(noRow, #packed + 1)
  end
  return struct.unpack(rowForm, packed)
end

-- The beginning of the fields for a time of admission (s), which `<key>|<model>` ends, and the hour in which they are final.
-- Most that a script asks about is of one hour.
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

-- As it is in the lists of its shard.
local function rowName(account, field)
  return account .. string.sub(field, 2)
end
