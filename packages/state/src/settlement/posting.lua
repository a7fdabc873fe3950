--include layout/account.lua
--include layout/account-writes.lua
--include keyspace/month.lua
--include layout/budget.lua
--include keyspace/names.lua
--include layout/usage.lua
--include settlement/rare-counters.lua

-- Posts changes to the spend and usage of an account.
local max = math.max
local postedTo, postedAt, postedTag

-- Begins with an account. `found` is its field `a`, nil or false if it is missing. `isSeveral` says whether a field may
-- change more than once.
local function beginPosting(name, now, tag, found, isSeveral)
  postedTo, postedAt, postedTag = name, now, tag
  beginWrites(found, isSeveral)
end

-- Adds to the spend of a key and its account, in the month of a time of admission. `value` is the key's field. A key without
-- a record is skipped. No amount falls below zero, even after Redis lost data.
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

-- Adds to a budget or a limit of counts, in the window of a time of admission. Each takes its own of the changes of what is
-- settled and of what is reserved; `closed` is how many requests no longer run. `value` is its field. A missing one is skipped:
-- control removed it, or counts it from the ledger. Only admissions begin a window of counts, by the clock.
local function postLimit(field, value, at, moreSettled, moreReserved, tokens, moreTokens, requests, closed)
  local packed = latest and latest[field] or value
  if not packed then
    return
  end
  local window, spent, held, corrections = unpackFields(budgetForm, packed)
  local unit, ofWindow = string.byte(field), windowOf(field, at)
  if unit == ofTokens then
    moreSettled, moreReserved = tokens, moreTokens
  elseif unit ~= ofNanos then
    moreSettled, moreReserved = unit == ofRequests and requests or 0, -closed
  elseif ofWindow > window then
    window, spent, held, corrections = ofWindow, 0, 0, 0
  end
  if ofWindow == window then
    write(field, packFields(budgetForm, window, max(0, spent + moreSettled), max(0, held + moreReserved), corrections))
  end
end

-- Adds to the counters of a usage row. `value` is its field, `at` the time of admission, `moreRare` the rare counters by name,
-- nil if they are 0.
local function postUsage(field, value, at, moreRare, EACH(counters, moreName))
  local again = latest and latest[field]
  local before = again or value or noRow
  local EACH(row, NAME) = readRow(before)
  if revision == 0 then
    local _, finalIn = rowField(at, postedAt, postedTag, '')
    born = postedAt
    call('ZADD', 'rows:' .. shardOf(postedTo), finalIn, rowName(accountOf(postedTo), field))
  end
  if isListed == 0 then
    call('HSET', 'uncopied:' .. shardOf(postedTo), rowName(accountOf(postedTo), field), '')
  end
  EACH(counters, NAME) = EACH(counters, NAME + moreName)
  revision, isListed = again and revision or revision + 1, 1
  local after = packFields(rowForm, EACH(row, NAME))
  if moreRare or #before > #noRow then
    after = after .. addRare(rareEnd(before), moreRare)
  end
  write(field, after)
end

-- Writes all changes. `closed` is the number of holds that ended, `refund` is given back to the token rate, µs.
local function endPosting(closed, refund)
  if month > 0 then
    open, tokenArrival = max(0, open - closed), max(0, tokenArrival - refund)
  end
  endWrites(postedTo, version + month + endedUntil > 0)
end

-- Gathers and writes a list of sums. Each has `keyField`, `model`, `upstream` (nil if none served it), `budgets` (fields of its
-- budgets and limits of counts, separated by spaces), the time of admission `at` (s), changes of `settled` and `reserved`
-- (nanodollars), of `tokens` and `reservedTokens`, of `requests`, how many of them no longer run (`closed`), and `counts`, the
-- amounts for its usage row by counter, nil to add nothing. No remaining hold ends before `newDue`, nil to leave it.
-- Returns the new `due`, 0 without holds.
local function postSums(name, now, tag, sums, closed, refund, newDue, newEndedUntil)
  local fields = { 'a' }
  for n = 1, #sums do
    local sum = sums[n]
    fields[2 * n] = sum.keyField
    fields[2 * n + 1] = rowField(sum.at, now, tag, rowEndOf(sum.upstream or '', string.sub(sum.keyField, 3), sum.model))
  end
  local found = call('HMGET', name, unpack(fields))
  beginPosting(name, now, tag, found[1], true)
  due, endedUntil = newDue and (open > closed and newDue or 0) or due, max(endedUntil, newEndedUntil or 0)
  for n = 1, #sums do
    local sum, counts = sums[n], sums[n].counts
    postSpend(sum.keyField, found[2 * n], sum.at, sum.settled, sum.reserved)
    for field in string.gmatch(sum.budgets, '%S+') do
      postLimit(field, call('HGET', name, field), sum.at, sum.settled, sum.reserved, sum.tokens, sum.reservedTokens, sum.requests,
        sum.closed)
    end
    if counts then
      postUsage(fields[2 * n + 1], found[2 * n + 1], sum.at, rareOf(counts), EACH(counters, counts.NAME or 0))
    end
  end
  endPosting(closed, refund)
  return due
end
