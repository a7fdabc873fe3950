#!lua
-- Decides whether requests may start, one after the other, on the state of this instant, and reserves for each what it may
-- cost at most: all or nothing. They come in groups, each of one key.
-- The caller has judged the key and the account on cached records of the versions that it names; if either has moved on,
-- nothing is decided for its group and it gets the current ones. Every argument is checked before the first write.
--
-- Rates are the generic cell rate algorithm (ITU-T I.371): for each limit one time of arrival in µs (kept to a quarter,
-- as exact as a number of that size is), a burst of a full minute, and a little tolerance for rounding. Idempotent by
-- request id.
--
-- KEYS     for each group the name of its account's record; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, two for each group, packed as struct.unpack reads them; numbers are doubles (8 bytes, the lowest first), texts end
-- with a zero byte:
--   versions of the key record and of the account record that were judged; when what was judged ends (the key's expiry or
--     a rotated secret's grace), ms since the epoch, -1 for never; budget of the key for a month, nanodollars, and requests
--     a minute of the key, -1 for none of its own; budget of the account for a month, and what one request may cost,
--     nanodollars; concurrent requests; how long a hold lasts, ms; requests a minute; tokens a minute; key id
--   '1' if overdue holds were looked for already, else '0', and for each request:
--     picodollars of its prompt at most, and for each token of output that is granted; prompt tokens at most, and tokens
--     for each that is granted (answers may be several); tokens of output that are wanted; the fewest that are worth it;
--     id; model
-- Returns for each group
--   'ended'       the time at which what was judged ends has come
--   'unverified'  it is not known that this process holds every change of the shard, or what has been spent
--   'overdue'     holds are past their deadline and should be reaped first
--   { key version, key record, account version, account record }  the current records, '' for one that is not there
-- or for each of its requests, between spaces in one text, all texts with a line feed between:
--   'cancelled'   it was cancelled before this came
--   'over-budget', 'request', 'key' or 'account', limit, settled, reserved, needed (nanodollars), month (yyyymm)
--   'over-limit', 'concurrent', 'requests' or 'tokens', ms until it may pass, ...rates
--   'admitted', granted tokens, seconds since the epoch, nanodollars reserved, ...rates
-- where rates are: requests a minute, left of them, ms until all are there again; tokens left, ms until all are there.
--include parts/names.lua
--include parts/numbers.lua
--include parts/records.lua
--include parts/month.lua
--include parts/hold.lua
--include parts/tag.lua

local run = ARGV[1]
local tag, present = tagOf(run), monthOf(seconds)
local minute, floor, ceil, format, unpackFields = 60000000, math.floor, math.ceil, string.format, struct.unpack
-- Too much to be reckoned exactly is too much for every budget, and refused as such.
local mostPicos = 1e30

local function readTerms(packed)
  local terms = { unpackFields('<ddddddddddds', packed) }
  local endsAt, keyBudget, keyPerMinute, perMinute, tokensPerMinute = terms[3], terms[4], terms[5], terms[10], terms[11]
  insistOnWhole(terms[1], terms[2], endsAt + 1, keyBudget + 1, keyPerMinute + 1, terms[6])
  insistOnWhole(terms[7], terms[8], terms[9], perMinute, tokensPerMinute, 0)
  if keyPerMinute == 0 or perMinute == 0 or tokensPerMinute == 0 then
    error('not above 0: a rate')
  end
  return terms
end

-- The requests of a group.
local function readRequests(packed)
  local asked, position, size = {}, 2, #packed
  repeat
    local request = { unpackFields('<ddddddss', packed, position) }
    local promptPicos, outputPicos = request[1], request[2]
    insistOnWhole(promptPicos % 1, outputPicos % 1, request[3], request[4], request[5], request[6])
    if not (promptPicos >= 0 and outputPicos >= 0 and promptPicos <= mostPicos and outputPicos <= mostPicos) then
      error('not amounts')
    end
    asked[#asked + 1], position = request, request[9]
  until position > size
  return asked
end

-- Decides the requests of a group. `record` is the name of its account's record.
local function judgeGroup(record, terms, wasReaped, asked)
  local judgedKey, judgedAccount, endsAt, keyBudget, keyPerMinute, accountBudget, requestBudget, mostOpen, holdMs,
    perMinute, tokensPerMinute, key = unpack(terms)
  keyBudget = keyBudget >= 0 and keyBudget or nil
  keyPerMinute = keyPerMinute >= 0 and keyPerMinute or nil
  local tail, shard = tailOf(record), shardOf(record)
  local other = unlessJudged(run, 'shard:' .. shard, 'keys' .. tail, record, key, judgedKey, judgedAccount,
    endsAt >= 0 and endsAt or nil)
  if other then
    return other
  end
  local spendName, limitName, holdName = 'spend' .. tail, 'limit' .. tail, 'hold' .. tail
  local settledField, reservedField = 's:' .. key, 'r:' .. key
  local spend = redis.call('HMGET', spendName, 'm', 's', 'r', settledField, reservedField)
  if not spend[1] then
    return 'unverified'
  end
  local limit = redis.call('HMGET', limitName, 'd', 'q', 't', 'q:' .. key)
  local firstDeadline = tonumber(limit[1] or nil)
  if firstDeadline and firstDeadline <= nowMs and not wasReaped then
    return 'overdue'
  end

  local count, goneName = #asked, 'gone:' .. shard .. ':'
  local ids, gone = {}, {}
  for n = 1, count do
    local id = asked[n][7]
    ids[n], gone[n] = id, goneName .. id
  end
  local held = redis.call('HMGET', holdName, unpack(ids))
  local someGone = redis.call('EXISTS', unpack(gone)) > 0
  local open = redis.call('HLEN', holdName)

  -- The budgets.
  local seconds, month, spendMonth = seconds, present, tonumber(spend[1])
  local isNewMonth = spendMonth < month
  local settled, reserved, keySettled, keyReserved = 0, 0, 0, 0
  if not isNewMonth then
    settled, reserved = tonumber(spend[2] or 0), tonumber(spend[3] or 0)
    keySettled, keyReserved = tonumber(spend[4] or 0), tonumber(spend[5] or 0)
    -- A clock that was set back does not take a month back: what is admitted belongs to the beginning of that month.
    while month < spendMonth do
      seconds = (floor(seconds / 86400) + 1) * 86400
      month = monthOf(seconds)
    end
  end

  -- The rates: µs for a unit, and the time of arrival.
  local perRequest, perToken = minute / perMinute, minute / tokensPerMinute
  local perKeyRequest = keyPerMinute and minute / keyPerMinute
  local arrival = math.max(tonumber(limit[2] or 0), now)
  local tokenArrival = math.max(tonumber(limit[3] or 0), now)
  local keyArrival = keyPerMinute and math.max(tonumber(limit[4] or 0), now)
  -- The end of the µs that may be taken now. A millisecond is more than rounding adds up to, and must not be another unit.
  local last, lastToken = now + minute + math.min(1000, perRequest / 2), now + minute + math.min(1000, perToken / 2)
  local lastOfKey = keyPerMinute and now + minute + math.min(1000, perKeyRequest / 2)
  -- What is told of requests is what will be in the way first. The last of each is until nothing is taken any more.
  local function rates()
    local limited, left, rest = perMinute, floor((last - arrival) / perRequest), arrival
    if keyPerMinute then
      local keyLeft = floor((lastOfKey - keyArrival) / perKeyRequest)
      if keyLeft < left then
        limited, left, rest = keyPerMinute, keyLeft, keyArrival
      end
    end
    local tokensLeft = floor((lastToken - tokenArrival) / perToken)
    return format(' %d %d %d %d %d', limited, left > 0 and left or 0, ceil((rest - now) / 1000),
      tokensLeft > 0 and tokensLeft or 0, ceil((tokenArrival - now) / 1000))
  end

  local deadline = nowMs + holdMs
  local holds = {}

  local function decide(n)
    if someGone and redis.call('EXISTS', gone[n]) == 1 then
      return 'cancelled'
    end
    if held[n] then
      local _, admittedAt, granted, nanos = readHold(held[n])
      return format('admitted %d %d %d', granted, admittedAt, nanos) .. rates()
    end

    local promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, id, model = unpack(asked[n], 1, 8)
    local needed = ceil((promptPicos + picosEach * fewest) / 1000)
    local nanos = ceil((promptPicos + picosEach * granted) / 1000)
    local function judge(reason, budget, spent, taken)
      local free = budget - spent - taken
      if needed > free then
        return format('over-budget %s %.0f %.0f %.0f %.0f %d', reason, budget, spent, taken, needed, month)
      end
      granted = math.max(fewest, floor((free * 1000 - promptPicos) / picosEach))
      nanos = ceil((promptPicos + picosEach * granted) / 1000)
      -- The quotient may be rounded up.
      while nanos > free do
        granted = granted - 1
        nanos = ceil((promptPicos + picosEach * granted) / 1000)
      end
      return nil
    end
    local refusal
    if nanos > requestBudget then
      refusal = judge('request', requestBudget, 0, 0)
    end
    if not refusal and keyBudget and nanos > keyBudget - keySettled - keyReserved then
      refusal = judge('key', keyBudget, keySettled, keyReserved)
    end
    if not refusal and nanos > accountBudget - settled - reserved then
      refusal = judge('account', accountBudget, settled, reserved)
    end
    if refusal then
      return refusal
    end

    if open >= mostOpen then
      return 'over-limit concurrent 1000' .. rates()
    end
    local wait = perRequest - (last - arrival)
    if keyPerMinute then
      wait = math.max(wait, perKeyRequest - (lastOfKey - keyArrival))
    end
    if wait > 0 then
      return format('over-limit requests %d', ceil(wait / 1000)) .. rates()
    end
    local allTokens = promptTokens + tokensEach * granted
    wait = allTokens * perToken - (lastToken - tokenArrival)
    if wait > 0 then
      return format('over-limit tokens %d', ceil(wait / 1000)) .. rates()
    end

    -- It is admitted.
    reserved, keyReserved, open = reserved + nanos, keyReserved + nanos, open + 1
    arrival, tokenArrival = arrival + perRequest, tokenArrival + allTokens * perToken
    if keyPerMinute then
      keyArrival = keyArrival + perKeyRequest
    end
    local text = format('%d|%d|%d|%d|%d|%d|%d|%s|%s|%s', deadline, seconds, granted, nanos, promptTokens, allTokens,
      tokensPerMinute, tag, key, model)
    holds[#holds + 1], holds[#holds + 2] = id, text
    -- Should the same request come twice.
    for same = n + 1, count do
      if ids[same] == id then
        held[same] = text
      end
    end
    return format('admitted %d %d %d', granted, seconds, nanos) .. rates()
  end

  local answers = {}
  for n = 1, count do
    answers[n] = decide(n)
  end
  if #holds > 0 then
    if isNewMonth then
      redis.call('DEL', spendName)
      redis.call('HSET', spendName, 'm', month, 's', 0, settledField, 0)
    end
    redis.call('HSET', spendName, 'r', format('%d', reserved), reservedField, format('%d', keyReserved))
    local limits = { 'q', format('%.2f', arrival), 't', format('%.2f', tokenArrival) }
    if keyPerMinute then
      limits[5], limits[6] = 'q:' .. key, format('%.2f', keyArrival)
    end
    -- `d` and the account's entry among the deadlines are the same: not after the first deadline of a hold.
    if not firstDeadline or deadline < firstDeadline then
      local text = format('%d', deadline)
      limits[#limits + 1], limits[#limits + 2] = 'd', text
      redis.call('ZADD', 'deadlines:' .. shard, text, string.sub(tail, 8))
    end
    redis.call('HSET', limitName, unpack(limits))
    redis.call('HSET', holdName, unpack(holds))
  end
  return table.concat(answers, '\n')
end

local groups = {}
for n = 1, #ARGV / 2 do
  local asked = ARGV[2 * n + 1]
  groups[n] = { readTerms(ARGV[2 * n]), string.sub(asked, 1, 1) == '1', readRequests(asked) }
end
local answers = {}
for n, group in ipairs(groups) do
  answers[n] = judgeGroup(KEYS[n], unpack(group))
end
return answers
