#!lua
-- Decides whether requests may start, one after the other, and reserves the maximum cost of each: all or nothing. Requests
-- come in groups, each of one key.
-- The caller has judged the key and the account on cached records and names their versions. If a record has changed, the
-- script decides nothing for the group and returns the current records. It checks all arguments of a group before it writes.
-- If a check fails, decisions about earlier groups stay and the caller gets an error.
--
-- Idempotent by request id.
--
-- KEYS     for each group the hash of its account; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, one for each group, packed as struct.unpack reads it; numbers are doubles (8 bytes, the lowest first), texts end with
-- a zero byte:
--   versions of the key record and of the account record that were judged; when the secret stops working (the key's expiry
--     or the end of a rotated secret's grace), ms since the epoch, -1 for never; budget of the key for a month, nanodollars, and requests
--     a minute of the key, -1 without a limit of its own; budget of the account for a month, and of one request,
--     nanodollars; concurrent requests; how long a hold lasts, ms; requests a minute; tokens a minute; how far the arrival
--     of requests, of requests of the key and of tokens may lie ahead, µs; a month (yyyymm, 0 for none) and nanodollars (may
--     be below 0) that count as spend of the account in that month; field of the key; number of budgets with a window
--     and of limits of counts, and the limit (nanodollars, or the count) and field of each, the budgets first
--   1 if overdue holds were reaped before, else 0
--   for each request: picodollars of its prompt, and of each granted token; prompt tokens, and output tokens for each granted
--     token (the number of answers); wanted output tokens; the minimum to grant; field of its hold; model
-- Returns the answers, packed in the same way, one after the other. For each request of a group, numbered by the first:
--   0  admitted: granted tokens, seconds since the epoch, nanodollars reserved, nanodollars left of the tightest budget besides the
--      request's after that (below 0 if more was spent), ...rates
--   1  over a limit: 0 for concurrent requests, 1 for requests or 2 for tokens, from 3 on the list of budgets and limits; ms until
--      it may pass, ...rates
--   2  over a budget: 0 of the request, 1 of the key or 2 of the account for a month, from 3 on that list;
--      limit, settled, reserved and needed (nanodollars), number of the window (yyyymm for a month)
--   3  it was cancelled before
-- where rates are: requests a minute, requests left, ms until the burst is full again; tokens left, ms until the burst is full.
-- Or for the whole group:
--   4  the key or the presented secret has expired
--   5  control has not verified the shard for this process, the spend is not seeded, or no month is open
--   6  there are overdue holds: reap them first
--   7  a record has changed: version and record of the key, then of the account, as texts
--include layout/ended-hold.lua
--include layout/hold.lua
--include keyspace/month.lua
--include layout/budget.lua
--include keyspace/names.lua
--include wire/numbers.lua
--include admission/records.lua
--include keyspace/tag.lua
--include layout/account-writes.lua
--include admission/rates.lua

local run = ARGV[1]
local tag = tagOf(run)
local floor, ceil, max, min, byte = math.floor, math.ceil, math.max, math.min, string.byte
-- Larger costs are not exact. They are above every budget and refused.
local maxPicos = 1e30
local termsForm, requestForm = '<ddddddddddddddddsdd', '<ddddddss'
local ended, unverified, overdue = packFields('<d', 4), packFields('<d', 5), packFields('<d', 6)

-- The current group: its terms, and the state of its account after the requests that were admitted so far. (As arguments, or
-- with new functions for each group, they would cost as much as all the rest in this Lua.)
local keyField, keyBudget, accountBudget, requestBudget, maxOpen, deadline
local at, keySettled, keyReserved
-- The budgets with a window, then the limits of counts: how many budgets, how many of both, and of each its parts and limit;
-- `budgets` is the text for holds.
local moneyCount, budgetCount, budgets = 0, 0, ''
local budgetFields, budgetLimits = {}, {}
local budgetWindows, budgetSettled, budgetReserved, budgetCorrections = {}, {}, {}, {}
local adjustedMonth, adjusted
local shard, verifiedVersion, verifiedRun, present
local answers, fields = {}, {}

local function overLimit(limit, wait)
  return packFields('<dddddddd', 1, limit, ceil(wait / 1000), rates())
end

local function admitted(granted, admittedAt, nanos)
  local left = accountBudget - settled - adjusted - reserved
  if keyBudget then
    left = min(left, keyBudget - keySettled - keyReserved)
  end
  for n = 1, moneyCount do
    left = min(left, budgetLimits[n] - budgetSettled[n] - budgetReserved[n])
  end
  return packFields('<dddddddddd', 0, granted, admittedAt, nanos, left, rates())
end

-- Returns how many output tokens a budget allows and the cost of the request; or nil and the refusal.
local function fit(reason, window, budget, spent, taken, promptPicos, picosEach, minTokens)
  local free = budget - spent - taken
  local needed = ceil((promptPicos + picosEach * minTokens) / 1000)
  if needed > free then
    return nil, packFields('<ddddddd', 2, reason, budget, spent, taken, needed, window)
  end
  local granted = max(minTokens, floor((free * 1000 - promptPicos) / picosEach))
  local nanos = ceil((promptPicos + picosEach * granted) / 1000)
  -- The quotient may be rounded up.
  while nanos > free do
    granted = granted - 1
    nanos = ceil((promptPicos + picosEach * granted) / 1000)
  end
  return granted, nanos
end

-- How long to wait for a limit of counts, µs: until its window ends, or a second for one of the others to end.
local function waitForCount(n)
  local endsAt = beginningOfWindow(budgetFields[n], budgetWindows[n] + 1) * 1000000
  return endsAt > now and endsAt - now or 1000000
end

-- Returns the first limit of counts that a request with so many tokens exceeds; nil if it fits into all.
local function exceededCount(tokens)
  for n = moneyCount + 1, budgetCount do
    local taken = byte(budgetFields[n]) == ofTokens and tokens or 1
    if budgetSettled[n] + budgetReserved[n] + taken > budgetLimits[n] then
      return n
    end
  end
end

-- Reserves a request with so many tokens in the limits of counts; one without tokens and requests only notes what they leave.
local function reserveCounts(tokens, requests)
  countedTokensLeft = nil
  for n = moneyCount + 1, budgetCount do
    local isOfTokens = byte(budgetFields[n]) == ofTokens
    budgetReserved[n] = budgetReserved[n] + (isOfTokens and tokens or requests)
    if isOfTokens then
      countedTokensLeft = budgetLimits[n] - budgetSettled[n] - budgetReserved[n]
    end
  end
end

-- Decides one request. Returns the answer, and the hold if it is admitted.
local function decide(promptPicos, picosEach, promptTokens, tokensEach, granted, minTokens, model)
  local nanos = ceil((promptPicos + picosEach * granted) / 1000)
  if nanos > requestBudget then
    granted, nanos = fit(0, month, requestBudget, 0, 0, promptPicos, picosEach, minTokens)
  end
  -- What costs nothing fits, also into a budget below what was spent.
  if granted and keyBudget and nanos > 0 and nanos > keyBudget - keySettled - keyReserved then
    granted, nanos = fit(1, month, keyBudget, keySettled, keyReserved, promptPicos, picosEach, minTokens)
  end
  if granted and nanos > 0 and nanos > accountBudget - settled - adjusted - reserved then
    granted, nanos = fit(2, month, accountBudget, settled + adjusted, reserved, promptPicos, picosEach, minTokens)
  end
  if granted and nanos > 0 then
    for n = 1, moneyCount do
      if nanos > budgetLimits[n] - budgetSettled[n] - budgetReserved[n] then
        granted, nanos = fit(2 + n, budgetWindows[n], budgetLimits[n], budgetSettled[n], budgetReserved[n], promptPicos,
          picosEach, minTokens)
        if not granted then
          break
        end
      end
    end
  end
  if not granted then
    return nanos
  end

  if open >= maxOpen then
    return overLimit(0, 1000000)
  end
  local wait = perRequest - (last - arrival)
  if keyPerMinute then
    wait = max(wait, perKeyRequest - (lastOfKey - keyArrival))
  end
  if wait > 0 then
    return overLimit(1, wait)
  end
  local tokens = promptTokens + tokensEach * granted
  local exceeded = moneyCount < budgetCount and exceededCount(tokens)
  if exceeded then
    return overLimit(2 + exceeded, waitForCount(exceeded))
  end
  local micros = tokens * perToken
  wait = micros - (lastToken - tokenArrival)
  if micros > tokenBurst and tokens <= tokensPerMinute then
    wait = tokenArrival - now
  end
  if wait > 0 then
    return overLimit(2, wait)
  end

  reserved, keyReserved, open = reserved + nanos, keyReserved + nanos, open + 1
  arrival, tokenArrival = arrival + perRequest, tokenArrival + micros
  if keyPerMinute then
    keyArrival = keyArrival + perKeyRequest
  end
  for n = 1, moneyCount do
    budgetReserved[n] = budgetReserved[n] + nanos
  end
  if moneyCount < budgetCount then
    reserveCounts(tokens, 1)
  end
  return admitted(granted, at, nanos),
    packFields(holdForm, EACH(hold, NAME))
end

-- Answers a request. `held` is its hold if it was admitted before, else false or nil.
local function judge(endedPrefix, held, promptPicos, picosEach, promptTokens, tokensEach, granted, minTokens, field, model, position)
  assertWhole(promptPicos % 1, picosEach % 1, promptTokens, tokensEach, granted, minTokens)
  if not (promptPicos >= 0 and picosEach >= 0 and promptPicos <= maxPicos and picosEach <= maxPicos) then
    error('a price is not valid')
  end
  local answer, hold
  if endedPrefix and call('EXISTS', endedPrefix .. string.sub(field, 3)) == 1 then
    answer = packFields('<d', 3)
  else
    held = held or latest and latest[field]
    if held then
      local EACH(hold, NAME) = readHold(held)
      answer = admitted(granted, at, nanos)
    else
      answer, hold = decide(promptPicos, picosEach, promptTokens, tokensEach, granted, minTokens, model)
    end
  end
  answers[#answers + 1] = answer
  if hold then
    write(field, hold)
  end
  return position
end

-- Reads the limits and fields of the budgets with a window, and of the limits of counts. Returns the number after them, and
-- where it ends.
local function readBudgetTerms(packed, position)
  assertWhole(budgetCount, 0, 0, 0, 0, 0)
  for n = 1, budgetCount do
    budgetLimits[n], budgetFields[n], position = unpackFields('<ds', packed, position)
    assertWhole(budgetLimits[n], 0, 0, 0, 0, 0)
    if byte(budgetFields[n]) == ofNanos then
      moneyCount = n
    end
  end
  return unpackFields('<d', packed, position)
end

-- Reads the budgets with a window from what was found after number `last`. After the clock was set back, a request belongs to
-- the beginning of the latest window that has begun.
local function beginBudgets(found, last)
  for n = 1, budgetCount do
    local field = budgetFields[n]
    budgetWindows[n], budgetSettled[n], budgetReserved[n], budgetCorrections[n] =
      unpackFields(budgetForm, found[last + n] or noBudget)
    if n <= moneyCount and budgetWindows[n] > windowOf(field, at) then
      at = beginningOfWindow(field, budgetWindows[n])
    end
  end
  for n = 1, budgetCount do
    -- Counts go with the clock, even while the month of the spend does not.
    local window = windowOf(budgetFields[n], n <= moneyCount and at or seconds)
    if budgetWindows[n] ~= window then
      budgetWindows[n], budgetSettled[n], budgetReserved[n], budgetCorrections[n] = window, 0, 0, 0
    end
  end
  reserveCounts(0, 0)
end

-- Reads the terms of a group into the variables above. Returns the remaining terms, and where the terms end.
local function readTerms(packed)
  local judgedKey, judgedAccount, endsAt, holdMs, wasReaped, position
  judgedKey, judgedAccount, endsAt, keyBudget, keyPerMinute, accountBudget, requestBudget, maxOpen, holdMs, perMinute,
    tokensPerMinute, burst, keyBurst, tokenBurst, adjustedMonth, adjusted, keyField, budgetCount, wasReaped, position = unpackFields(termsForm, packed)
  moneyCount, countedTokensLeft = 0, nil
  if budgetCount ~= 0 then
    wasReaped, position = readBudgetTerms(packed, position - 8)
  end
  assertWhole(judgedKey, judgedAccount, endsAt + 1, keyBudget + 1, keyPerMinute + 1, accountBudget)
  assertWhole(requestBudget, maxOpen, holdMs, perMinute, tokensPerMinute, wasReaped)
  if keyPerMinute == 0 or perMinute == 0 or tokensPerMinute == 0 then
    error('a rate must be above 0')
  end
  if not (burst > 0 and keyBurst > 0 and tokenBurst > 0 and burst + keyBurst + tokenBurst < 10 * minute) then
    error('a burst is not valid')
  end
  assertWhole(adjustedMonth, max(adjusted, -adjusted), 0, 0, 0, 0)
  keyBudget = keyBudget >= 0 and keyBudget or nil
  keyPerMinute = keyPerMinute >= 0 and keyPerMinute or nil
  deadline = nowMs + holdMs
  return judgedKey, judgedAccount, endsAt, wasReaped, position
end

-- Answers the requests of a group, or returns the answer to all of them.
local function judgeGroup(name, packed)
  local judgedKey, judgedAccount, endsAt, wasReaped, position = readTerms(packed)
  local shardOfGroup = shardOf(name)
  if shard ~= shardOfGroup then
    shard = shardOfGroup
    verifiedVersion, verifiedRun, present = readVerified(call('HGET', 'shard:' .. shard, verifiedField))
  end
  if verifiedRun ~= run or present == 0 then
    return unverified
  end
  local promptPicos, picosEach, promptTokens, tokensEach, granted, minTokens, field, model, after =
    unpackFields(requestForm, packed, position)
  local several, next = 0, after
  while next <= #packed do
    local _
    several = several + 1
    _, _, _, _, _, _, fields[several], _, next = unpackFields(requestForm, packed, next)
  end
  for n = 1, budgetCount do
    fields[several + n] = budgetFields[n]
  end
  local found = call('HMGET', name, 'a', keyField, field, unpack(fields, 1, several + budgetCount))
  local keyVersion, keyMonth
  -- A group of several requests may have the same one twice.
  beginWrites(found[1], several > 0)
  EACH(key, keyName) = unpackFields(keyForm, found[2] or noKey)
  local epochStart = verifiedVersion - verifiedVersion % 1e12
  if not (version == judgedAccount and isInForce(version, epochStart)
    and keyVersion == judgedKey and isInForce(keyVersion, epochStart)) then
    return packFields('<dssss', 7, currentRecords(name, string.sub(keyField, 3), keyVersion, version, epochStart))
  end
  if endsAt >= 0 and nowMs >= endsAt then
    return ended
  end
  if month == 0 then
    return unverified
  end
  if due > 0 and due <= nowMs and wasReaped == 0 then
    return overdue
  end
  if month < present then
    month, settled, reserved = present, 0, 0
  end
  if adjustedMonth ~= month then
    adjusted = 0
  end
  -- Control opens months, not this process's clock. Where they differ, a request belongs to the nearest second of the month.
  at = monthOf(seconds) == month and seconds or within(month, seconds)
  if keyMonth ~= month then
    keyMonth, keySettled, keyReserved = month, 0, 0
  end
  if budgetCount > 0 then
    beginBudgets(found, 3 + several)
    budgets = table.concat(budgetFields, ' ', 1, budgetCount)
  else
    budgets = ''
  end
  local isCut = beginRates()
  -- The key and the budgets come after the account and before new holds.
  local first = 4 + 2 * budgetCount
  count = first
  local endedPrefix = endedUntil > nowMs and endedHoldPrefix(shard) or nil
  judge(endedPrefix, found[3], promptPicos, picosEach, promptTokens, tokensEach, granted, minTokens, field, model)
  for n = 4, several + 3 do
    after = judge(endedPrefix, found[n], unpackFields(requestForm, packed, after))
  end
  if count > first or isCut then
    -- `due` and the account's entry in `deadlines` are equal: no hold ends before them.
    if count > first and (due == 0 or deadline < due) then
      due = deadline
      call('ZADD', 'deadlines:' .. shard, string.format('%d', due), accountOf(name))
    end
    written[3], written[4] = keyField, packFields(keyForm, EACH(key, keyName))
    for n = 1, budgetCount do
      written[3 + 2 * n], written[4 + 2 * n] = budgetFields[n],
        packFields(budgetForm, budgetWindows[n], budgetSettled[n], budgetReserved[n], budgetCorrections[n])
    end
    endWrites(name, true)
  end
end

for n = 1, #ARGV - 1 do
  local answer = judgeGroup(KEYS[n], ARGV[n + 1])
  if answer then
    answers[#answers + 1] = answer
  end
end
return table.concat(answers)
