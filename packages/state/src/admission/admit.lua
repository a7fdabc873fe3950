#!lua
-- Decides whether requests may start, one after the other, and reserves the maximum cost of each: all or nothing. Requests
-- come in groups, each of one key.
-- The caller has judged the key and the account on cached records and names their versions. If a record has changed, the
-- script decides nothing for the group and returns the current records. It checks all arguments of a group before it writes.
-- If a check fails, decisions about earlier groups stay and the caller gets an error.
--
-- Rates use the generic cell rate algorithm (ITU-T I.371). Each limit has one arrival time in µs (exact to a quarter, as a
-- number of that size is), which may lie ahead by the burst and a little for rounding. A request of more tokens than the burst
-- is admitted when no tokens are owed. So 60 s admit at most the limit plus the larger of the burst and the largest request.
-- Idempotent by request id.
--
-- KEYS     for each group the hash of its account; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, one for each group, packed as struct.unpack reads it; numbers are doubles (8 bytes, the lowest first), texts end with
-- a zero byte:
--   versions of the key record and of the account record that were judged; when what was judged ends (the key's expiry or
--     a rotated secret's grace), ms since the epoch, -1 for never; budget of the key for a month, nanodollars, and requests
--     a minute of the key, -1 for none of its own; budget of the account for a month, and what one request may cost,
--     nanodollars; concurrent requests; how long a hold lasts, ms; requests a minute; tokens a minute; how far the arrival
--     of requests, of requests of the key and of tokens may lie ahead, µs; field of the key
--   1 if overdue holds were looked for already, else 0
--   for each request: picodollars of its prompt at most, and for each token of output that is granted; prompt tokens at
--     most, and tokens for each that is granted (answers may be several); tokens of output that are wanted; the fewest that
--     are worth it; field of its hold; model
-- Returns the answers, packed in the same way, one after the other. For each request of a group, numbered by the first:
--   0  admitted: granted tokens, seconds since the epoch, nanodollars reserved, ...rates
--   1  over a limit: 0 for concurrent requests, 1 for requests or 2 for tokens; ms until it may pass, ...rates
--   2  over a budget: 0 of the request, 1 of the key or 2 of the account; limit, settled, reserved and needed (nanodollars),
--      month (yyyymm)
--   3  it was cancelled before this came
-- where rates are: requests a minute, left of them, ms until all are there again; tokens left, ms until all are there.
-- Or for the whole group:
--   4  the key or the presented secret has expired
--   5  control has not verified the shard for this process, the spend is not seeded, or no month is open
--   6  there are overdue holds: reap them first
--   7  a record has changed: version and record of the key, then of the account, as texts
--include layout/gone.lua
--include layout/hold.lua
--include keyspace/month.lua
--include keyspace/names.lua
--include wire/numbers.lua
--include admission/records.lua
--include keyspace/tag.lua

local run = ARGV[1]
local tag = tagOf(run)
local floor, ceil, max = math.floor, math.ceil, math.max
local call, packFields, unpackFields = redis.call, struct.pack, struct.unpack
local minute = 60000000
-- Maximum debt of the token rate, µs: the largest request that can pass, and a little for rounding.
local maxOwed = minute + 1000
-- Larger costs are not exact. They are above every budget and refused.
local maxPicos = 1e30
local termsForm, requestForm = '<ddddddddddddddsd', '<ddddddss'
local ended, unverified, overdue = packFields('<d', 4), packFields('<d', 5), packFields('<d', 6)

-- The current group: its terms, and the state of its account after the requests that were admitted so far. (As arguments, or
-- with new functions for each group, they would cost as much as all the rest in this Lua.)
local keyField, keyBudget, accountBudget, requestBudget, maxOpen, deadline
local perMinute, keyPerMinute, tokensPerMinute
local burst, keyBurst, tokenBurst
local month, at, settled, reserved, keySettled, keyReserved, open
-- For each rate: µs for a unit, the arrival time, and how far it may lie ahead now.
local perRequest, arrival, last
local perKeyRequest, keyArrival, lastOfKey
local perToken, tokenArrival, lastToken
local shard, vouched, vouchedTo, present
local answers, fields = {}, {}
-- Fields and values in turn: the account, the key and new holds.
local written, count = { 'a' }, 0
-- New holds by field, in a group of several requests: the same request may come twice.
local fresh

-- Returns the rates for an answer. Of the two request rates it shows the one that will refuse first. Each ends with the time
-- until the rate is full again. (Remainders cost a fraction of rounding.)
local function rates()
  local limited, left, rest = perMinute, (last - arrival) / perRequest, arrival - now
  if keyPerMinute then
    local keyLeft = (lastOfKey - keyArrival) / perKeyRequest
    if keyLeft - keyLeft % 1 < left - left % 1 then
      limited, left, rest = keyPerMinute, keyLeft, keyArrival - now
    end
  end
  local tokensLeft, tokensRest = (lastToken - tokenArrival) / perToken, tokenArrival - now
  return limited, left > 0 and left - left % 1 or 0, (rest + -rest % 1000) / 1000,
    tokensLeft > 0 and tokensLeft - tokensLeft % 1 or 0, (tokensRest + -tokensRest % 1000) / 1000
end

local function overLimit(limit, wait)
  return packFields('<dddddddd', 1, limit, ceil(wait / 1000), rates())
end

local function admitted(granted, admittedAt, nanos)
  return packFields('<ddddddddd', 0, granted, admittedAt, nanos, rates())
end

-- Returns how many output tokens fit into a budget, and what the request then costs; or nil, and the refusal.
local function fit(reason, budget, spent, taken, promptPicos, picosEach, fewest)
  local free = budget - spent - taken
  local needed = ceil((promptPicos + picosEach * fewest) / 1000)
  if needed > free then
    return nil, packFields('<ddddddd', 2, reason, budget, spent, taken, needed, month)
  end
  local granted = max(fewest, floor((free * 1000 - promptPicos) / picosEach))
  local nanos = ceil((promptPicos + picosEach * granted) / 1000)
  -- The quotient may be rounded up.
  while nanos > free do
    granted = granted - 1
    nanos = ceil((promptPicos + picosEach * granted) / 1000)
  end
  return granted, nanos
end

-- Decides one request. Returns the answer, and the hold if it is admitted.
local function decide(promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, model)
  local nanos = ceil((promptPicos + picosEach * granted) / 1000)
  if nanos > requestBudget then
    granted, nanos = fit(0, requestBudget, 0, 0, promptPicos, picosEach, fewest)
  end
  if granted and keyBudget and nanos > keyBudget - keySettled - keyReserved then
    granted, nanos = fit(1, keyBudget, keySettled, keyReserved, promptPicos, picosEach, fewest)
  end
  if granted and nanos > accountBudget - settled - reserved then
    granted, nanos = fit(2, accountBudget, settled, reserved, promptPicos, picosEach, fewest)
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
  return admitted(granted, at, nanos),
    packFields(holdForm, EACH(hold, NAME))
end

-- Answers a request. `held` is its hold if it was admitted before, else false or nil.
local function judge(gonePrefix, held, promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, field, model, position)
  assertWhole(promptPicos % 1, picosEach % 1, promptTokens, tokensEach, granted, fewest)
  if not (promptPicos >= 0 and picosEach >= 0 and promptPicos <= maxPicos and picosEach <= maxPicos) then
    error('not amounts')
  end
  local answer, hold
  if gonePrefix and call('EXISTS', gonePrefix .. string.sub(field, 3)) == 1 then
    answer = packFields('<d', 3)
  else
    held = held or fresh and fresh[field]
    if held then
      local EACH(hold, NAME) = readHold(held)
      answer = admitted(granted, at, nanos)
    else
      answer, hold = decide(promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, model)
    end
  end
  answers[#answers + 1] = answer
  if hold then
    written[count + 1], written[count + 2] = field, hold
    count = count + 2
    if fresh then
      fresh[field] = hold
    end
  end
  return position
end

-- Reads the terms of a group. Returns those that are used once, and where the terms end.
local function readTerms(packed)
  local judgedKey, judgedAccount, endsAt, holdMs, wasReaped, position
  judgedKey, judgedAccount, endsAt, keyBudget, keyPerMinute, accountBudget, requestBudget, maxOpen, holdMs, perMinute,
    tokensPerMinute, burst, keyBurst, tokenBurst, keyField, wasReaped, position = unpackFields(termsForm, packed)
  assertWhole(judgedKey, judgedAccount, endsAt + 1, keyBudget + 1, keyPerMinute + 1, accountBudget)
  assertWhole(requestBudget, maxOpen, holdMs, perMinute, tokensPerMinute, wasReaped)
  if keyPerMinute == 0 or perMinute == 0 or tokensPerMinute == 0 then
    error('not above 0: a rate')
  end
  if not (burst > 0 and keyBurst > 0 and tokenBurst > 0 and burst + keyBurst + tokenBurst < 10 * minute) then
    error('not bursts')
  end
  keyBudget = keyBudget >= 0 and keyBudget or nil
  keyPerMinute = keyPerMinute >= 0 and keyPerMinute or nil
  deadline = nowMs + holdMs
  return judgedKey, judgedAccount, endsAt, wasReaped, position
end

-- Prepares the rates for this instant. An arrival time lies too far ahead after the clock was set back, or after a plan with a
-- larger burst. It is cut so that one request passes, or what a high rate admits in a millisecond; the rest of the burst stays
-- owed. A cut must be written, or every attempt would cut to the same distance. The token rate is cut by as much as the
-- request rate.
-- Returns whether a rate was cut.
local function beginRates()
  local isCut = false
  perRequest, perToken = minute / perMinute, minute / tokensPerMinute
  last, lastToken = now + burst, now + tokenBurst
  if arrival > last then
    local cut = max(now, last - max(perRequest, 1000))
    arrival, tokenArrival, isCut = cut, tokenArrival - (arrival - cut), true
  elseif arrival < now then
    arrival = now
  end
  if tokenArrival > now + maxOwed then
    tokenArrival, isCut = now + maxOwed, true
  elseif tokenArrival < now then
    tokenArrival = now
  end
  if keyPerMinute then
    perKeyRequest, lastOfKey = minute / keyPerMinute, now + keyBurst
    if keyArrival > lastOfKey then
      keyArrival, isCut = max(now, lastOfKey - max(perKeyRequest, 1000)), true
    elseif keyArrival < now then
      keyArrival = now
    end
  end
  return isCut
end

-- Answers the requests of a group, or returns the answer to all of them.
local function judgeGroup(name, packed)
  local judgedKey, judgedAccount, endsAt, wasReaped, position = readTerms(packed)
  local shardOfGroup = shardOf(name)
  if shard ~= shardOfGroup then
    shard = shardOfGroup
    vouched, vouchedTo, present = readVouched(call('HGET', 'shard:' .. shard, vouchedField))
  end
  if vouchedTo ~= run or present == 0 then
    return unverified
  end
  local promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, field, model, after =
    unpackFields(requestForm, packed, position)
  local several, next = 0, after
  while next <= #packed do
    local _
    several = several + 1
    _, _, _, _, _, _, fields[several], _, next = unpackFields(requestForm, packed, next)
  end
  local found = call('HMGET', name, 'a', keyField, field, unpack(fields, 1, several))
  local version, keyVersion, keyMonth, due, gone
  EACH(account, NAME) = unpackFields(accountForm, found[1] or noAccount)
  EACH(key, keyName) = unpackFields(keyForm, found[2] or noKey)
  local epochStart = vouched - vouched % 1e12
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
  -- Control opens months, not this process's clock. Where they differ, a request belongs to the nearest second of the month.
  at = monthOf(seconds) == month and seconds or within(month, seconds)
  if keyMonth ~= month then
    keyMonth, keySettled, keyReserved = month, 0, 0
  end
  local isCut = beginRates()
  count, fresh = 4, several > 0 and {} or nil
  local gonePrefix = gone > nowMs and goneOf(shard) or nil
  judge(gonePrefix, found[3], promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, field, model)
  for n = 4, several + 3 do
    after = judge(gonePrefix, found[n], unpackFields(requestForm, packed, after))
  end
  if count > 4 or isCut then
    -- `due` and the account's entry in `deadlines` are equal: no hold ends before them.
    if count > 4 and (due == 0 or deadline < due) then
      due = deadline
      call('ZADD', 'deadlines:' .. shard, string.format('%d', due), accountOf(name))
    end
    written[2] = packFields(accountForm, EACH(account, NAME))
    written[3], written[4] = keyField, packFields(keyForm, EACH(key, keyName))
    call('HSET', name, unpack(written, 1, count))
  end
end

for n = 1, #ARGV - 1 do
  local answer = judgeGroup(KEYS[n], ARGV[n + 1])
  if answer then
    answers[#answers + 1] = answer
  end
end
return table.concat(answers)
