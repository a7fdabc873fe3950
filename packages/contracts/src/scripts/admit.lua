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
--include parts/books.lua
--include parts/gone.lua
--include parts/hold.lua
--include parts/month.lua
--include parts/names.lua
--include parts/numbers.lua
--include parts/records.lua
--include parts/tag.lua

local run = ARGV[1]
local tag, present = tagOf(run), monthOf(seconds)
local floor, ceil, max, min, format = math.floor, math.ceil, math.max, math.min, string.format
local packFields, unpackFields = struct.pack, struct.unpack
local minute = 60000000
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

-- The group that is being judged: its terms, and where its books stand after those of its requests that were admitted so
-- far. (They are not arguments of the functions below, nor do these begin anew for each group: in this Lua that costs as
-- much as all the rest.)
local key, keyBudget, accountBudget, requestBudget, mostOpen, deadline
local perMinute, keyPerMinute, tokensPerMinute
local month, at, settled, reserved, keySettled, keyReserved, open
-- The rates: µs for a unit, the time of arrival, and the end of the µs that may be taken now.
local perRequest, arrival, last
local perKeyRequest, keyArrival, lastOfKey
local perToken, tokenArrival, lastToken

-- What is told of the rates. Of requests it is what will be in the way first; the last of each is until nothing is taken any
-- more.
local function rates()
  local limited, left, rest = perMinute, floor((last - arrival) / perRequest), arrival
  if keyPerMinute then
    local keyLeft = floor((lastOfKey - keyArrival) / perKeyRequest)
    if keyLeft < left then
      limited, left, rest = keyPerMinute, keyLeft, keyArrival
    end
  end
  local tokensLeft = floor((lastToken - tokenArrival) / perToken)
  return limited, left > 0 and left or 0, ceil((rest - now) / 1000), tokensLeft > 0 and tokensLeft or 0,
    ceil((tokenArrival - now) / 1000)
end

local function overLimit(limit, wait)
  return format('over-limit %s %d %d %d %d %d %d', limit, ceil(wait / 1000), rates())
end

local function admitted(granted, admittedAt, nanos)
  return format('admitted %d %d %d %d %d %d %d %d', granted, admittedAt, nanos, rates())
end

-- How many tokens of output a budget leaves room for, and what a request then costs; or nil, and the answer that there is too
-- little room.
local function fit(reason, budget, spent, taken, promptPicos, picosEach, fewest)
  local free = budget - spent - taken
  local needed = ceil((promptPicos + picosEach * fewest) / 1000)
  if needed > free then
    return nil, format('over-budget %s %.0f %.0f %.0f %.0f %d', reason, budget, spent, taken, needed, month)
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

-- Decides a request on its own. Returns the answer, and the hold if it is admitted.
local function decide(request)
  local promptPicos, picosEach, promptTokens, tokensEach, granted, fewest, _, model = unpack(request)
  local nanos = ceil((promptPicos + picosEach * granted) / 1000)
  if nanos > requestBudget then
    granted, nanos = fit('request', requestBudget, 0, 0, promptPicos, picosEach, fewest)
  end
  if granted and keyBudget and nanos > keyBudget - keySettled - keyReserved then
    granted, nanos = fit('key', keyBudget, keySettled, keyReserved, promptPicos, picosEach, fewest)
  end
  if granted and nanos > accountBudget - settled - reserved then
    granted, nanos = fit('account', accountBudget, settled, reserved, promptPicos, picosEach, fewest)
  end
  if not granted then
    return nanos
  end

  if open >= mostOpen then
    return overLimit('concurrent', 1000000)
  end
  local wait = perRequest - (last - arrival)
  if keyPerMinute then
    wait = max(wait, perKeyRequest - (lastOfKey - keyArrival))
  end
  if wait > 0 then
    return overLimit('requests', wait)
  end
  local tokens = promptTokens + tokensEach * granted
  wait = tokens * perToken - (lastToken - tokenArrival)
  if wait > 0 then
    return overLimit('tokens', wait)
  end

  reserved, keyReserved, open = reserved + nanos, keyReserved + nanos, open + 1
  arrival, tokenArrival = arrival + perRequest, tokenArrival + tokens * perToken
  if keyPerMinute then
    keyArrival = keyArrival + perKeyRequest
  end
  return admitted(granted, at, nanos),
    packFields(holdForm, deadline, at, granted, nanos, promptTokens, tokens, tokensPerMinute, tag, key, model)
end

-- Decides the requests of a group. `record` is the name of its account's record.
local function judgeGroup(record, terms, wasReaped, asked)
  local judgedKey, judgedAccount, endsAt, holdMs
  judgedKey, judgedAccount, endsAt, keyBudget, keyPerMinute, accountBudget, requestBudget, mostOpen, holdMs, perMinute,
    tokensPerMinute, key = unpack(terms)
  keyBudget = keyBudget >= 0 and keyBudget or nil
  keyPerMinute = keyPerMinute >= 0 and keyPerMinute or nil
  local tail, shard = tailOf(record), shardOf(record)
  local other = unlessJudged(run, 'shard:' .. shard, record, key, judgedKey, judgedAccount, endsAt >= 0 and endsAt or nil)
  if other then
    return other
  end
  local count, books, keyField, gonePrefix = #asked, 'books' .. tail, 'k:' .. key, goneOf(shard)
  local fields, gone = { 'a', keyField }, {}
  for n = 1, count do
    local id = asked[n][7]
    fields[n + 2], gone[n] = 'h:' .. id, gonePrefix .. id
  end
  local found = redis.call('HMGET', books, unpack(fields))
  if not found[1] then
    return 'unverified'
  end
  local due
  month, settled, reserved, open, arrival, tokenArrival, due = unpackFields(accountForm, found[1])
  if due > 0 and due <= nowMs and not wasReaped then
    return 'overdue'
  end
  at = seconds
  if month < present then
    month, settled, reserved = present, 0, 0
  elseif month > present then
    -- A clock that was set back does not take a month back: what is admitted belongs to the beginning of that month.
    while month > monthOf(at) do
      at = (floor(at / 86400) + 1) * 86400
    end
  end
  keySettled, keyReserved, keyArrival = readKeyEntry(found[2], month)

  -- A millisecond is more than rounding adds up to, and must not be another unit.
  perRequest, perToken = minute / perMinute, minute / tokensPerMinute
  arrival, last = max(arrival, now), now + minute + min(1000, perRequest / 2)
  tokenArrival, lastToken = max(tokenArrival, now), now + minute + min(1000, perToken / 2)
  if keyPerMinute then
    perKeyRequest = minute / keyPerMinute
    keyArrival, lastOfKey = max(keyArrival, now), now + minute + min(1000, perKeyRequest / 2)
  end
  deadline = nowMs + holdMs

  local someGone = redis.call('EXISTS', unpack(gone)) > 0
  local answers, written, isAdmitted = {}, { 'a', '', keyField, '' }, {}
  for n = 1, count do
    local name = fields[n + 2]
    -- The same request may come twice.
    local held = found[n + 2] or isAdmitted[name]
    if someGone and redis.call('EXISTS', gone[n]) == 1 then
      answers[n] = 'cancelled'
    elseif held then
      local _, admittedAt, granted, nanos = readHold(held)
      answers[n] = admitted(granted, admittedAt, nanos)
    else
      local answer, hold = decide(asked[n])
      answers[n] = answer
      if hold then
        isAdmitted[name] = hold
        written[#written + 1], written[#written + 2] = name, hold
      end
    end
  end

  if written[5] then
    -- `due` and the account's entry among the deadlines are the same: not after the first deadline of a hold.
    if due == 0 or deadline < due then
      due = deadline
      redis.call('ZADD', 'deadlines:' .. shard, format('%d', due), accountOf(tail))
    end
    written[2] = packFields(accountForm, month, settled, reserved, open, arrival, tokenArrival, due)
    written[4] = packFields(keyForm, month, keySettled, keyReserved, keyArrival)
    redis.call('HSET', books, unpack(written))
  end
  return table.concat(answers, '\n')
end

local groups = {}
for n = 1, #ARGV / 2 do
  local asked = ARGV[2 * n + 1]
  groups[n] = { readTerms(ARGV[2 * n]), string.sub(asked, 1, 1) == '1', readRequests(asked) }
end
local answers = {}
for n = 1, #groups do
  answers[n] = judgeGroup(KEYS[n], unpack(groups[n]))
end
return answers
