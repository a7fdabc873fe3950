#!lua
-- Decides whether a request may start, on the state of this instant, and reserves what it may cost at most: all or nothing.
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
-- ARGV[14] how long a hold lasts, ms
-- The request:
-- ARGV[15] id       ARGV[16] 1 if overdue holds were looked for already     ARGV[17] model
-- ARGV[18] what its prompt costs at most, picodollars                       ARGV[19] prompt tokens at most
-- ARGV[20] picodollars and  ARGV[21] tokens for each token of output that is granted (answers may be several)
-- ARGV[22] tokens of output that are wanted, and  ARGV[23] the fewest that are worth it
-- Returns
--   'ended'       the time in ARGV[5] has come
--   'unverified'  it is not known that this process holds every change of the shard, or what has been spent
--   'cancelled'   the request was cancelled before this came
--   'overdue'     holds are past their deadline and should be reaped first
--   { key version, key record, account version, account record }  the current records, '' for one that is not there
--   { 'refused', reason, limit, settled, reserved, needed, month }, reason 'request', 'key' or 'account': nanodollars
--   { 'refused', reason, ms until it may pass, ...rates }, reason 'concurrent', 'requests' or 'tokens'
--   { granted tokens, seconds since the epoch, nanodollars reserved, ...rates }
-- where rates are: requests a minute, left of them, ms until all are there again; tokens left, ms until all are there.
--include parts/records.lua
--include parts/month.lua
--include parts/hold.lua
--include parts/tag.lua

local key, id, model = ARGV[2], ARGV[15], ARGV[17]
local spend = redis.call('HMGET', KEYS[4], 'm', 's', 'r', 's:' .. key, 'r:' .. key)
if not spend[1] then
  return 'unverified'
end
if redis.call('EXISTS', KEYS[8] .. id) == 1 then
  return 'cancelled'
end
local limit = redis.call('HMGET', KEYS[5], 'd', 'q', 't', 'q:' .. key)
local firstDeadline = tonumber(limit[1] or nil)
if firstDeadline and firstDeadline <= nowMs and ARGV[16] ~= '1' then
  return 'overdue'
end

-- The rates.
local minute = 60000000
local function limiter(perMinute, stored)
  return { perMinute = perMinute, perUnit = minute / perMinute, arrival = math.max(tonumber(stored or 0), now) }
end
-- The units that pass now, as µs. A millisecond is more than rounding adds up to, and must not be another unit.
local function room(rate)
  return now + minute + math.min(1000, rate.perUnit / 2) - rate.arrival
end
local function left(rate)
  return math.max(0, math.floor(room(rate) / rate.perUnit))
end
local requests = limiter(positive(ARGV[10]), limit[2])
local keyRequests = ARGV[9] ~= '' and limiter(positive(ARGV[9]), limit[4]) or nil
local tokens = limiter(positive(ARGV[11]), limit[3])
-- What is told of requests is what will be in the way first. `rest` is until nothing is taken any more.
local function withRates(answer)
  local tighter, most = requests, left(requests)
  if keyRequests then
    local keyMost = left(keyRequests)
    if keyMost < most then
      tighter, most = keyRequests, keyMost
    end
  end
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = tighter.perMinute, most, math.ceil((tighter.arrival - now) / 1000)
  answer[n + 4], answer[n + 5] = left(tokens), math.ceil((tokens.arrival - now) / 1000)
  return answer
end

local held = redis.call('HGET', KEYS[6], id)
if held then
  local _, at, granted, nanos = readHold(held)
  return withRates({ granted, at, nanos })
end

-- The budgets.
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
-- Too much to be reckoned exactly is too much for every budget, and refused as such.
local promptPicos, picosEach = whole(ARGV[18], 1e30), whole(ARGV[20], 1e30)
local granted, fewest = whole(ARGV[22]), whole(ARGV[23])
local function nanosOf(output)
  return math.ceil((promptPicos + picosEach * output) / 1000)
end
local needed, nanos = nanosOf(fewest), nanosOf(granted)
local function judge(reason, budget, spent, open)
  local free = budget - spent - open
  if needed > free then
    local amounts = { budget, spent, open, needed }
    for n = 1, 4 do
      amounts[n] = string.format('%.0f', amounts[n])
    end
    return { 'refused', reason, amounts[1], amounts[2], amounts[3], amounts[4], month }
  end
  if nanos > free then
    granted = math.max(fewest, math.floor((free * 1000 - promptPicos) / picosEach))
    -- The quotient may be rounded up.
    while nanosOf(granted) > free do
      granted = granted - 1
    end
    nanos = nanosOf(granted)
  end
  return nil
end
local refusal = judge('request', whole(ARGV[13]), 0, 0)
  or (ARGV[7] ~= '' and judge('key', whole(ARGV[7]), keySettled, keyReserved))
  or judge('account', whole(ARGV[8]), settled, reserved)
if refusal then
  return refusal
end

-- The limits.
if redis.call('HLEN', KEYS[6]) >= whole(ARGV[12]) then
  return withRates({ 'refused', 'concurrent', 1000 })
end
local wait = requests.perUnit - room(requests)
if keyRequests then
  wait = math.max(wait, keyRequests.perUnit - room(keyRequests))
end
if wait > 0 then
  return withRates({ 'refused', 'requests', math.ceil(wait / 1000) })
end
local promptTokens = whole(ARGV[19])
local allTokens = promptTokens + whole(ARGV[21]) * granted
wait = allTokens * tokens.perUnit - room(tokens)
if wait > 0 then
  return withRates({ 'refused', 'tokens', math.ceil(wait / 1000) })
end

-- It is admitted.
local deadline = nowMs + whole(ARGV[14])
requests.arrival = requests.arrival + requests.perUnit
tokens.arrival = tokens.arrival + allTokens * tokens.perUnit
local limits = { 'q', string.format('%.2f', requests.arrival), 't', string.format('%.2f', tokens.arrival) }
if keyRequests then
  keyRequests.arrival = keyRequests.arrival + keyRequests.perUnit
  limits[5], limits[6] = 'q:' .. key, string.format('%.2f', keyRequests.arrival)
end
local hold = string.format('%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%s|%s|%s', deadline, seconds, granted, nanos,
  promptTokens, allTokens, tokens.perMinute, tagOf(ARGV[1]), key, model)
if isNewMonth then
  redis.call('DEL', KEYS[4])
  redis.call('HSET', KEYS[4], 'm', month, 's', 0, 's:' .. key, 0)
end
redis.call('HSET', KEYS[4], 'r', string.format('%.0f', reserved + nanos), 'r:' .. key,
  string.format('%.0f', keyReserved + nanos))
-- `d` and the account's entry among the deadlines are the same: not after the first deadline of a hold.
if not firstDeadline or deadline < firstDeadline then
  local text = string.format('%.0f', deadline)
  limits[#limits + 1], limits[#limits + 2] = 'd', text
  redis.call('ZADD', KEYS[7], text, ARGV[6])
end
redis.call('HSET', KEYS[5], unpack(limits))
redis.call('HSET', KEYS[6], id, hold)
return withRates({ granted, seconds, nanos })
