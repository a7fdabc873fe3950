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
-- KEYS, 8 for each group:
--   marker of the account's shard; hash of the account's keys; hash of the account; its spend; its limiters; its holds;
--   deadlines of its shard; beginning of the names of what cancelled requests leave
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV for each group:
--   key id; version of the key record, and of the account record, that were judged, '' for none;
--   when what was judged ends (the key's expiry or a rotated secret's grace), ms since the epoch, '' for never;
--   account id; budget of the key for a month, nanodollars, and requests a minute of the key, '' for none of its own;
--   budget of the account for a month, and what one request may cost, nanodollars; concurrent requests;
--   how long a hold lasts, ms; requests a minute; tokens a minute;
--   1 if overdue holds were looked for already; how many requests follow
-- and 8 for each request of a group:
--   id; model; picodollars of its prompt at most, and for each token of output that is granted; prompt tokens at most, and
--   tokens for each that is granted (answers may be several); tokens of output that are wanted; the fewest that are worth it
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
--include parts/numbers.lua
--include parts/records.lua
--include parts/month.lua
--include parts/hold.lua
--include parts/tag.lua

local run = ARGV[1]
local tag, present = tagOf(run), monthOf(seconds)
local minute, floor, ceil, format = 60000000, math.floor, math.ceil, string.format
-- Too much to be reckoned exactly is too much for every budget, and refused as such.
local mostPicos, most = 1e30, 9007199254740992

-- The arguments that are numbers, by their place among all.
local number = {}
local function readNumbers(first, last, largest)
  for n = first, last do
    local value = tonumber(ARGV[n])
    if not value or value < 0 or value % 1 ~= 0 or value > largest then
      error('not a whole number: ' .. tostring(ARGV[n]))
    end
    number[n] = value
  end
end

-- `at` is the place before the first argument of a group.
local function read(at)
  number[at + 4] = ARGV[at + 4] ~= '' and whole(ARGV[at + 4]) or nil
  number[at + 6] = ARGV[at + 6] ~= '' and whole(ARGV[at + 6]) or nil
  number[at + 7] = ARGV[at + 7] ~= '' and positive(ARGV[at + 7]) or nil
  readNumbers(at + 8, at + 15, most)
  if number[at + 12] == 0 or number[at + 13] == 0 or number[at + 15] == 0 then
    error('not above 0: a rate, or the requests of a group')
  end
  local last = at + 15 + 8 * number[at + 15]
  if last > #ARGV then
    error('fewer arguments than requests')
  end
  for first = at + 16, last, 8 do
    readNumbers(first + 2, first + 3, mostPicos)
    readNumbers(first + 4, first + 7, most)
  end
  return last
end

-- Decides a group. `keys` is the place before the first of its names.
local function judgeGroup(keys, at)
  local key = ARGV[at + 1]
  local other = unlessJudged(run, keys + 1, key, ARGV[at + 2], ARGV[at + 3], number[at + 4])
  if other then
    return other
  end
  local spendName, limitName, holdName = KEYS[keys + 4], KEYS[keys + 5], KEYS[keys + 6]
  local settledField, reservedField = 's:' .. key, 'r:' .. key
  local spend = redis.call('HMGET', spendName, 'm', 's', 'r', settledField, reservedField)
  if not spend[1] then
    return 'unverified'
  end
  local limit = redis.call('HMGET', limitName, 'd', 'q', 't', 'q:' .. key)
  local firstDeadline = tonumber(limit[1] or nil)
  if firstDeadline and firstDeadline <= nowMs and number[at + 14] ~= 1 then
    return 'overdue'
  end

  local count = number[at + 15]
  local ids, gone = {}, {}
  for n = 1, count do
    local id = ARGV[at + 8 + 8 * n]
    ids[n], gone[n] = id, KEYS[keys + 8] .. id
  end
  local held = redis.call('HMGET', holdName, unpack(ids))
  local someGone = redis.call('EXISTS', unpack(gone)) > 0
  local open = redis.call('HLEN', holdName)

  -- The budgets.
  local keyBudget, accountBudget, requestBudget = number[at + 6], number[at + 8], number[at + 9]
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
  local perMinute, keyPerMinute, tokensPerMinute = number[at + 12], number[at + 7], number[at + 13]
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

  local mostOpen, deadline = number[at + 10], nowMs + number[at + 11]
  local holds = {}

  -- `first` is the place of the request's id.
  local function decide(n, first)
    if someGone and redis.call('EXISTS', gone[n]) == 1 then
      return 'cancelled'
    end
    if held[n] then
      local _, admittedAt, granted, nanos = readHold(held[n])
      return format('admitted %d %d %d', granted, admittedAt, nanos) .. rates()
    end

    local promptPicos, picosEach = number[first + 2], number[first + 3]
    local promptTokens, tokensEach = number[first + 4], number[first + 5]
    local granted, fewest = number[first + 6], number[first + 7]
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
      tokensPerMinute, tag, key, ARGV[first + 1])
    holds[#holds + 1], holds[#holds + 2] = ids[n], text
    -- Should the same request come twice.
    for same = n + 1, count do
      if ids[same] == ids[n] then
        held[same] = text
      end
    end
    return format('admitted %d %d %d', granted, seconds, nanos) .. rates()
  end

  local answers = {}
  for n = 1, count do
    answers[n] = decide(n, at + 8 + 8 * n)
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
      redis.call('ZADD', KEYS[keys + 7], text, ARGV[at + 5])
    end
    redis.call('HSET', limitName, unpack(limits))
    redis.call('HSET', holdName, unpack(holds))
  end
  return table.concat(answers, '\n')
end

local starts, at = {}, 1
while at < #ARGV do
  starts[#starts + 1] = at
  at = read(at)
end
local answers = {}
for group = 1, #starts do
  answers[group] = judgeGroup(8 * (group - 1), starts[group])
end
return answers
