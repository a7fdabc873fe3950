-- The books of an account: what it has spent and reserved, what it took of its rates, and what is open. They are one hash,
-- `books:{aNN}:<account>`, so that an admission or a settlement looks once and writes once; its fields are packed as
-- struct.unpack reads them, numbers as doubles (8 bytes, the lowest first), amounts in nanodollars:
--   a         of the account: month (yyyymm), settled and reserved in it, how many holds are open, times of arrival of its
--             rates of requests and of tokens (µs since the epoch), and before when no hold ends (ms), 0 if there is none
--   k:<key>   of a key: month, settled and reserved in it, time of arrival of its own rate of requests
--   h:<id>    a hold: see hold.lua
-- Without `a` they have not been seeded: nothing is admitted on them, and what they lack comes from the ledger. What is of an
-- earlier month than the account's counts as zero.
local accountForm, keyForm = '<ddddddd', '<dddd'

-- What is told of a spend to whoever may seed it.
local function seenOf(month, settled)
  return string.format('%.0f|%.0f', month, settled)
end

-- What a key has settled and reserved in a month, and the time of arrival of its rate. `value` is that of its field, false
-- if there is none.
local function readKeyEntry(value, month)
  if not value then
    return 0, 0, 0
  end
  local ofMonth, settled, reserved, arrival = struct.unpack(keyForm, value)
  if ofMonth ~= month then
    return 0, 0, arrival
  end
  return settled, reserved, arrival
end

-- Notes a change of what a key and its account have settled and reserved in a month, in a list of changes: four members
-- for each, of one key and month.
local function addChange(changes, month, key, settled, reserved)
  for n = 1, #changes, 4 do
    if changes[n] == month and changes[n + 1] == key then
      changes[n + 2], changes[n + 3] = changes[n + 2] + settled, changes[n + 3] + reserved
      return
    end
  end
  local n = #changes
  changes[n + 1], changes[n + 2], changes[n + 3], changes[n + 4] = month, key, settled, reserved
end

-- The fields that changes are of, the account's first; others may follow.
local function fieldsOf(changes)
  local fields = { 'a' }
  for n = 2, #changes, 4 do
    fields[#fields + 1] = 'k:' .. changes[n]
  end
  return fields
end

-- Writes changes into the books of that name. `values` are those of their fields; `closed` is how many holds are open no more,
-- `refund` µs of the rate of tokens that are given back. `due` is before when no hold ends, nil if that is as it was.
-- Nothing falls below zero, whatever was lost.
local function writeBooks(name, values, changes, closed, refund, due)
  if not values[1] then
    return
  end
  local month, settled, reserved, open, arrival, tokenArrival, wasDue = struct.unpack(accountForm, values[1])
  local latest, max = month, math.max
  for n = 1, #changes, 4 do
    latest = max(latest, changes[n])
  end
  if latest > month then
    month, settled, reserved = latest, 0, 0
  end
  local written = { 'a', '' }
  for n = 1, #changes, 4 do
    if changes[n] == month then
      local moreSettled, moreReserved = changes[n + 2], changes[n + 3]
      settled, reserved = settled + moreSettled, reserved + moreReserved
      local keySettled, keyReserved, keyArrival = readKeyEntry(values[(n + 7) / 4], month)
      written[#written + 1] = 'k:' .. changes[n + 1]
      written[#written + 1] = struct.pack(keyForm, month, max(0, keySettled + moreSettled),
        max(0, keyReserved + moreReserved), keyArrival)
    end
  end
  written[2] = struct.pack(accountForm, month, max(0, settled), max(0, reserved), max(0, open - closed), arrival,
    max(0, tokenArrival - refund), due or wasDue)
  redis.call('HSET', name, unpack(written))
end
