--include layout/account.lua
--include keyspace/month.lua
--include keyspace/names.lua
--include layout/usage.lua

-- Changes to what an account has settled, reserved and used, gathered and then written at once.
local call, max, packFields, unpackFields = redis.call, math.max, struct.pack, struct.unpack
local postedTo, postedAt, postedTag
local EACH(account, NAME)
-- Fields and values by turns, the account's first; and by field what was written, if it may be written again.
local written, count, latest = { 'a' }

-- Begins with an account of which `found` is the field `a`, nil or false if there is none. `isSeveral` is whether some field
-- may be posted to more than once.
local function beginPosting(name, now, tag, found, isSeveral)
  postedTo, postedAt, postedTag, count, latest = name, now, tag, 2, isSeveral and {} or nil
  EACH(account, NAME) = unpackFields(accountForm, found or noAccount)
end

local function write(field, value)
  written[count + 1], written[count + 2] = field, value
  count = count + 2
  if latest then
    latest[field] = value
  end
end

-- Adds to what a key and its account have settled and reserved in the month of a time of admission. `value` is that of the
-- key's field; without a record of the key nothing is counted for it. Nothing falls below zero, whatever was lost.
local function postSpend(field, value, at, moreSettled, moreReserved)
  local ofMonth = monthOf(at)
  if month == 0 or ofMonth < month then
    return
  end
  if ofMonth > month then
    month, settled, reserved = ofMonth, 0, 0
  end
  settled, reserved = max(0, settled + moreSettled), max(0, reserved + moreReserved)
  local EACH(key, keyName) = readKey(latest and latest[field] or value or noKey, month)
  if keyVersion == 0 then
    return
  end
  keySettled, keyReserved = max(0, keySettled + moreSettled), max(0, keyReserved + moreReserved)
  write(field, packFields(keyForm, EACH(key, keyName)))
end

-- Adds to the counters of a row of usage of a time of admission. `value` is that of its field.
local function postUsage(field, value, at, EACH(counters, moreName))
  local again = latest and latest[field]
  local EACH(row, NAME) = readRow(again or value or noRow)
  if revision == 0 then
    local _, finalIn = beginningOfRows(at, postedAt, postedTag)
    born = postedAt
    call('ZADD', 'rows:' .. shardOf(postedTo), finalIn, rowName(accountOf(postedTo), field))
  end
  if isListed == 0 then
    call('HSET', 'uncopied:' .. shardOf(postedTo), rowName(accountOf(postedTo), field), '')
  end
  EACH(counters, NAME) = EACH(counters, NAME + moreName)
  revision, isListed = again and revision or revision + 1, 1
  write(field, packFields(rowForm, EACH(row, NAME)))
end

-- Writes it all. `closed` is how many holds are open no more, `refund` µs of the rate of tokens that are given back.
local function endPosting(closed, refund)
  if month > 0 then
    open, tokenArrival = max(0, open - closed), max(0, tokenArrival - refund)
  end
  local first = 1
  if version + month + gone > 0 then
    written[2] = packFields(accountForm, EACH(account, NAME))
  else
    first = 3
  end
  if count >= first then
    call('HSET', postedTo, unpack(written, first, count))
  end
end

-- Does all of that. Of each sum: `keyField`; `model`; when it was admitted, s, `at`; nanodollars that are `settled` and
-- `reserved` more; and what is added to the counters of its row of usage, `counts`, nil for nothing. `newDue` is before when no
-- hold ends of those that are left, nil if that is as it was. Returns before when none does, 0 if there is none.
local function postSums(name, now, tag, sums, closed, refund, newDue, newGone)
  local fields = { 'a' }
  for n = 1, #sums do
    local sum = sums[n]
    fields[2 * n] = sum.keyField
    fields[2 * n + 1] = beginningOfRows(sum.at, now, tag) .. string.sub(sum.keyField, 3) .. '|' .. sum.model
  end
  local found = call('HMGET', name, unpack(fields))
  beginPosting(name, now, tag, found[1], true)
  due, gone = newDue and (open > closed and newDue or 0) or due, max(gone, newGone or 0)
  for n = 1, #sums do
    local sum, counts = sums[n], sums[n].counts
    postSpend(sum.keyField, found[2 * n], sum.at, sum.settled, sum.reserved)
    if counts then
      postUsage(fields[2 * n + 1], found[2 * n + 1], sum.at, EACH(counters, counts.NAME or 0))
    end
  end
  endPosting(closed, refund)
  return due
end
