-- Cumulative usage counters. Each hour of admission, run of Redis, upstream, key and model has one row, so control can copy
-- absolute values any number of times. A row is final when the next hour is over. Later settlements go into another row.
--
-- A row is a field of its account's hash, `u:<hour>:<run>|<key>|<model>`. `<run>` is `<tag of the run>[-<upstream>][~<hour in
-- which a late row began>]`.
-- Its parts: the counters, the rare ones last and only if one of them is not 0; `revision`, which every change raises; `born`, when it began (µs since the epoch), so a row that
-- was lost and began again counts as another one; and `isListed`, 1 if `uncopied` has it, else 0.
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

-- The bytes of the rare counters at the end of a row; '' if they are 0.
local function rareEnd(packed)
  return string.sub(packed, #noRow + 1)
end

-- Returns the end of a row's field: `[-<upstream>]|<key>|<model>`. `upstream` is '' if no upstream served the requests.
local function rowEndOf(upstream, key, model)
  return (upstream == '' and '|' or '-' .. upstream .. '|') .. key .. '|' .. model
end

-- Returns the field of a row for a time of admission (s), and the hour in which it is final. Most calls of a script ask for
-- the same hour.
local rowsHour, rowsBeginning, rowsLate, rowsFinalIn
local function rowField(at, now, tag, rowEnd)
  local hour = (at - at % 3600) / 3600
  if hour ~= rowsHour then
    local nowHour = math.floor(now / 3600000000)
    rowsHour, rowsFinalIn, rowsLate, rowsBeginning = hour, hour + 2, nil, string.format('u:%d:%s', hour, tag)
    if nowHour >= rowsFinalIn then
      rowsFinalIn, rowsLate = nowHour + 2, string.format('~%d|', nowHour)
    end
  end
  if rowsLate then
    rowEnd = string.gsub(rowEnd, '|', rowsLate, 1)
  end
  return rowsBeginning .. rowEnd, rowsFinalIn
end

-- The name of a row in the lists of its shard.
local function rowName(account, field)
  return account .. string.sub(field, 2)
end
