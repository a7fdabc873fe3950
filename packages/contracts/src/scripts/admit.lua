#!lua
-- Decides whether requests of one key may start, one after the other, on the state of this instant, and reserves for each
-- what it may cost at most: all or nothing.
-- The caller has judged the key and the account on cached records of the versions that it names; if either has moved on,
-- nothing is decided and it gets the current ones. Everything is validated before the first write.
--
-- Rates are the generic cell rate algorithm (ITU-T I.371): for each limit one time of arrival in µs (kept to a quarter,
-- as exact as a number of that size is), a burst of a full minute, and a little tolerance for rounding. Idempotent by
-- request id.
--
-- KEYS[1]  marker of the account's shard
-- KEYS[2]  hash of the account's keys     KEYS[3]  hash of the account
-- KEYS[4]  its spend    KEYS[5]  its limiters    KEYS[6]  its holds    KEYS[7]  deadlines of its shard
-- KEYS[8]  beginning of the names of what cancelled requests leave
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- ARGV[3]  version of the key record and  ARGV[4]  of the account record that were judged; '' for none
-- ARGV[5]  when what was judged ends (the key's expiry or a rotated secret's grace), ms since the epoch; '' for never
-- ARGV[6]  account id
-- ARGV[7]  budgets for a month, nanodollars: of the key, '' for none, and  ARGV[8]  of the account
-- ARGV[9]  requests a minute of the key, '' for no limit of its own, and  ARGV[10]  of the account
-- ARGV[11] tokens a minute                ARGV[12] concurrent requests
-- ARGV[13] what one request may cost, nanodollars
-- ARGV[14] how long a hold lasts, ms     ARGV[15] 1 if overdue holds were looked for already
-- ARGV, 8 for each request:
--   id; model; what its prompt costs at most, picodollars; prompt tokens at most; picodollars and tokens for each token
--   of output that is granted (answers may be several); tokens of output that are wanted; the fewest that are worth it
-- Returns
--   'ended'       the time in ARGV[5] has come
--   'unverified'  it is not known that this process holds every change of the shard, or what has been spent
--   'overdue'     holds are past their deadline and should be reaped first
--   { key version, key record, account version, account record }  the current records, '' for one that is not there
-- or for each request, between spaces in one text, all texts with a line feed between:
--   'cancelled'   it was cancelled before this came
--   'over-budget', 'request', 'key' or 'account', limit, settled, reserved, needed (nanodollars), month (yyyymm)
--   'over-limit', 'concurrent', 'requests' or 'tokens', ms until it may pass, ...rates
--   'admitted', granted tokens, seconds since the epoch, nanodollars reserved, ...rates
-- where rates are: requests a minute, left of them, ms until all are there again; tokens left, ms until all are there.
--include parts/records.lua
--include parts/month.lua
--include parts/hold.lua
--include parts/tag.lua

local key = ARGV[2]
local spend = redis.call('HMGET', KEYS[4], 'm', 's', 'r', 's:' .. key, 'r:' .. key)
if not spend[1] then
  return 'unverified'
end
local limit = redis.call('HMGET', KEYS[5], 'd', 'q', 't', 'q:' .. key)
local firstDeadline = tonumber(limit[1] or nil)
if firstDeadline and firstDeadline <= nowMs and ARGV[15] ~= '1' then
  return 'overdue'
end

local ids, gone = {}, {}
for n = 16, #ARGV, 8 do
  ids[#ids + 1] = ARGV[n]
  gone[#gone + 1] = KEYS[8] .. ARGV[n]
end
local held = redis.call('HMGET', KEYS[6], unpack(ids))
local someGone = redis.call('EXISTS', unpack(gone)) > 0
local open = redis.call('HLEN', KEYS[6])

-- The budgets.
local keyBudget = ARGV[7] ~= '' and whole(ARGV[7]) or nil
local accountBudget, requestBudget = whole(ARGV[8]), whole(ARGV[13])
local month = monthOf(seconds)
local spendMonth = tonumber(spend[1])
local isNewMonth = spendMonth < month
local settled, reserved, keySettled, keyReserved = 0, 0, 0, 0
if not isNewMonth then
  settled, reserved = tonumber(spend[2] or 0), tonumber(spend[3] or 0)
  keySettled, keyReserved = tonumber(spend[4] or 0), tonumber(spend[5] or 0)
  -- A clock that was set back does not take a month back: what is admitted belongs to the beginning of that month.
  while month < spendMonth do
    seconds = (math.floor(seconds / 86400) + 1) * 86400
    month = monthOf(seconds)
  end
end

-- The rates: µs for a unit, and the time of arrival.
local minute, floor, ceil = 60000000, math.floor, math.ceil
local perMinute, keyPerMinute = positive(ARGV[10]), ARGV[9] ~= '' and positive(ARGV[9]) or nil
local tokensPerMinute = positive(ARGV[11])
local perRequest, perToken = minute / perMinute, minute / tokensPerMinute
local perKeyRequest = keyPerMinute and minute / keyPerMinute
local arrival = math.max(tonumber(limit[2] or 0), now)
local tokenArrival = math.max(tonumber(limit[3] or 0), now)
local keyArrival = keyPerMinute and math.max(tonumber(limit[4] or 0), now)
-- The µs that pass now. A millisecond is more than rounding adds up to, and must not be another unit.
local function room(at, perUnit)
  return now + minute + math.min(1000, perUnit / 2) - at
end
-- What is told of requests is what will be in the way first. The last of each is until nothing is taken any more.
local function rates()
  local limited, left, rest = perMinute, floor(room(arrival, perRequest) / perRequest), arrival
  if keyPerMinute then
    local keyLeft = floor(room(keyArrival, perKeyRequest) / perKeyRequest)
    if keyLeft < left then
      limited, left, rest = keyPerMinute, keyLeft, keyArrival
    end
  end
  local tokensLeft = floor(room(tokenArrival, perToken) / perToken)
  return string.format(' %d %d %d %d %d', limited, left > 0 and left or 0, ceil((rest - now) / 1000),
    tokensLeft > 0 and tokensLeft or 0, ceil((tokenArrival - now) / 1000))
end

local mostOpen, deadline, tag = whole(ARGV[12]), nowMs + whole(ARGV[14]), tagOf(ARGV[1])
local holds = {}

local function decide(n, first)
  if someGone and redis.call('EXISTS', gone[n]) == 1 then
    return 'cancelled'
  end
  if held[n] then
    local _, at, granted, nanos = readHold(held[n])
    return string.format('admitted %d %d %d', granted, at, nanos) .. rates()
  end

  -- Too much to be reckoned exactly is too much for every budget, and refused as such.
  local promptPicos, picosEach = whole(ARGV[first + 2], 1e30), whole(ARGV[first + 4], 1e30)
  local promptTokens, tokensEach = whole(ARGV[first + 3]), whole(ARGV[first + 5])
  local granted, fewest = whole(ARGV[first + 6]), whole(ARGV[first + 7])
  local needed, nanos = ceil((promptPicos + picosEach * fewest) / 1000), ceil((promptPicos + picosEach * granted) / 1000)
  local function judge(reason, budget, spent, taken)
    local free = budget - spent - taken
    if needed > free then
      return string.format('over-budget %s %.0f %.0f %.0f %.0f %d', reason, budget, spent, taken, needed, month)
    end
    if nanos > free then
      granted = math.max(fewest, floor((free * 1000 - promptPicos) / picosEach))
      nanos = ceil((promptPicos + picosEach * granted) / 1000)
      -- The quotient may be rounded up.
      while nanos > free do
        granted = granted - 1
        nanos = ceil((promptPicos + picosEach * granted) / 1000)
      end
    end
    return nil
  end
  local refusal = judge('request', requestBudget, 0, 0)
    or (keyBudget and judge('key', keyBudget, keySettled, keyReserved))
    or judge('account', accountBudget, settled, reserved)
  if refusal then
    return refusal
  end

  if open >= mostOpen then
    return 'over-limit concurrent 1000' .. rates()
  end
  local wait = perRequest - room(arrival, perRequest)
  if keyPerMinute then
    wait = math.max(wait, perKeyRequest - room(keyArrival, perKeyRequest))
  end
  if wait > 0 then
    return string.format('over-limit requests %d', ceil(wait / 1000)) .. rates()
  end
  local allTokens = promptTokens + tokensEach * granted
  wait = allTokens * perToken - room(tokenArrival, perToken)
  if wait > 0 then
    return string.format('over-limit tokens %d', ceil(wait / 1000)) .. rates()
  end

  -- It is admitted.
  reserved, keyReserved, open = reserved + nanos, keyReserved + nanos, open + 1
  arrival, tokenArrival = arrival + perRequest, tokenArrival + allTokens * perToken
  if keyPerMinute then
    keyArrival = keyArrival + perKeyRequest
  end
  local text = string.format('%d|%d|%d|%d|%d|%d|%d|%s|%s|%s', deadline, seconds, granted, nanos, promptTokens, allTokens,
    tokensPerMinute, tag, key, ARGV[first + 1])
  holds[#holds + 1], holds[#holds + 2] = ids[n], text
  -- Should the same request come twice.
  for other = n + 1, #ids do
    if ids[other] == ids[n] then
      held[other] = text
    end
  end
  return string.format('admitted %d %d %d', granted, seconds, nanos) .. rates()
end

local answers = {}
for n = 1, #ids do
  answers[n] = decide(n, 8 + 8 * n)
end
if #holds > 0 then
  if isNewMonth then
    redis.call('DEL', KEYS[4])
    redis.call('HSET', KEYS[4], 'm', month, 's', 0, 's:' .. key, 0)
  end
  redis.call('HSET', KEYS[4], 'r', string.format('%d', reserved), 'r:' .. key, string.format('%d', keyReserved))
  local limits = { 'q', string.format('%.2f', arrival), 't', string.format('%.2f', tokenArrival) }
  if keyPerMinute then
    limits[5], limits[6] = 'q:' .. key, string.format('%.2f', keyArrival)
  end
  -- `d` and the account's entry among the deadlines are the same: not after the first deadline of a hold.
  if not firstDeadline or deadline < firstDeadline then
    local text = string.format('%d', deadline)
    limits[#limits + 1], limits[#limits + 2] = 'd', text
    redis.call('ZADD', KEYS[7], text, ARGV[6])
  end
  redis.call('HSET', KEYS[5], unpack(limits))
  redis.call('HSET', KEYS[6], unpack(holds))
end
return table.concat(answers, '\n')
