--include layout/account.lua
--include keyspace/month.lua
--include keyspace/names.lua
--include layout/usage.lua

-- Changes to what an account has settled, reserved and used, gathered and then written at once.
local call, max, packFields, unpackFields = redis.call, math.max, struct.pack, struct.unpack
local postedTo, postedAt, postedTag
local version, month, settled, reserved, open, arrival, tokenArrival, due, gone
-- Fields and values by turns, the account's first; and by field what was written, if it may be written again.
local written, count, latest = { 'a' }

-- Begins with an account of which `found` is the field `a`, nil or false if there is none. `isSeveral` is whether some field
-- may be posted to more than once.
local function beginPosting(name, now, tag, found, isSeveral)
  postedTo, postedAt, postedTag, count, latest = name, now, tag, 2, isSeveral and {} or nil
  version, month, settled, reserved, open, arrival, tokenArrival, due, gone = unpackFields(accountForm, found or noAccount)
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
  local keyVersion, keySettled, keyReserved, keyArrival = readKey(latest and latest[field] or value or noKey, month)
  if keyVersion == 0 then
    return
  end
  write(field, packFields(keyForm, keyVersion, month, max(0, keySettled + moreSettled), max(0, keyReserved + moreReserved),
    keyArrival))
end

-- Adds to a row of usage of a time of admission, in the order of its counters. `value` is that of its field.
local function postUsage(field, value, at, requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos)
  local again = latest and latest[field]
  local r, f, p, c, o, u, x, y, revision, born, isListed = unpackFields(rowForm, again or value or noRow)
  if revision == 0 then
    local _, finalIn = beginningOfRows(at, postedAt, postedTag)
    born = postedAt
    call('ZADD', 'rows:' .. shardOf(postedTo), finalIn, rowName(accountOf(postedTo), field))
  end
  if isListed == 0 then
    call('HSET', 'uncopied:' .. shardOf(postedTo), rowName(accountOf(postedTo), field), '')
  end
  write(field, packFields(rowForm, requests + r, failed + f, prompt + p, cached + c, completion + o, nanos + u, estimated + x,
    estimatedNanos + y, again and revision or revision + 1, born, 1))
end

-- Writes it all. `closed` is how many holds are open no more, `refund` µs of the rate of tokens that are given back.
local function endPosting(closed, refund)
  if month > 0 then
    open, tokenArrival = max(0, open - closed), max(0, tokenArrival - refund)
  end
  local first = 1
  if version + month + gone > 0 then
    written[2] = packFields(accountForm, version, month, settled, reserved, open, arrival, tokenArrival, due, gone)
  else
    first = 3
  end
  if count >= first then
    call('HSET', postedTo, unpack(written, first, count))
  end
end

-- Does all of that. Of each sum: field of the key; model; when it was admitted, s; nanodollars that are settled and reserved
-- more; then, unless there is nothing more to count, what a row of usage counts. `newDue` is before when no hold ends of those
-- that are left, nil if that is as it was. Returns before when none does, 0 if there is none.
local function postSums(name, now, tag, sums, closed, refund, newDue, newGone)
  local fields = { 'a' }
  for n = 1, #sums do
    local sum = sums[n]
    fields[2 * n] = sum[1]
    fields[2 * n + 1] = beginningOfRows(sum[3], now, tag) .. string.sub(sum[1], 3) .. '|' .. sum[2]
  end
  local found = call('HMGET', name, unpack(fields))
  beginPosting(name, now, tag, found[1], true)
  due, gone = newDue and (open > closed and newDue or 0) or due, max(gone, newGone or 0)
  for n = 1, #sums do
    local sum = sums[n]
    postSpend(sum[1], found[2 * n], sum[3], sum[4], sum[5])
    if sum[6] then
      postUsage(fields[2 * n + 1], found[2 * n + 1], sum[3], unpack(sum, 6))
    end
  end
  endPosting(closed, refund)
  return due
end
