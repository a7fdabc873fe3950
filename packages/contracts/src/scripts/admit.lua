#!lua
-- Decides whether a request may start, on the state of this instant, and reserves what it may cost at most: all or nothing.
-- The caller has judged the key and the account on cached records of the versions that it names; if either has moved on,
-- nothing is decided and it gets the current ones. Everything is validated before the first write.
--
-- Rates are the generic cell rate algorithm (ITU-T I.371): for each limit one time of arrival in µs, a burst of a full
-- minute, and half a unit of tolerance for rounding. Idempotent by request id.
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

local key, id = ARGV[2], ARGV[15]
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

local month = monthOf(seconds)
local isNewMonth = tonumber(spend[1]) < month
local settled, reserved, keySettled, keyReserved = 0, 0, 0, 0
if not isNewMonth then
  -- A clock that was set back does not take a month back.
  month = tonumber(spend[1])
  settled, reserved = tonumber(spend[2] or 0), tonumber(spend[3] or 0)
  keySettled, keyReserved = tonumber(spend[4] or 0), tonumber(spend[5] or 0)
end

-- The rates. `size` is in units of the limit, `perUnit` µs.
local minute = 60000000
local function rate(stored, perMinute)
  local perUnit = minute / perMinute
  local arrival = math.max(tonumber(stored or 0), now)
  return {
    perMinute = perMinute,
    perUnit = perUnit,
    arrival = arrival,
    -- µs until units would pass; not above 0 if they do now.
    wait = function(units)
      return arrival + units * perUnit - now - minute - perUnit / 2
    end,
    take = function(units)
      arrival = arrival + units * perUnit
      return string.format('%.0f', arrival)
    end,
    left = function()
      return math.max(0, math.floor((now + minute + perUnit / 2 - arrival) / perUnit))
    end,
    -- ms until nothing is taken any more
    rest = function()
      return math.ceil((arrival - now) / 1000)
    end
  }
end
local requests = rate(limit[2], tonumber(ARGV[10]))
local keyRequests = ARGV[9] ~= '' and rate(limit[4], tonumber(ARGV[9])) or nil
local tokens = rate(limit[3], tonumber(ARGV[11]))
-- What is told of requests is what will be in the way first.
local function rates(answer)
  local tighter = keyRequests and keyRequests.left() < requests.left() and keyRequests or requests
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = tighter.perMinute, tighter.left(), tighter.rest()
  answer[n + 4], answer[n + 5] = tokens.left(), tokens.rest()
  return answer
end

local held = redis.call('HGET', KEYS[6], id)
if held then
  local _, at, granted, nanos = readHold(held)
  return rates({ granted, at, nanos })
end

-- The budgets.
local promptPicos, picosEach = tonumber(ARGV[18]), tonumber(ARGV[20])
local granted, fewest = tonumber(ARGV[22]), tonumber(ARGV[23])
local function nanosOf(output)
  return math.ceil((promptPicos + picosEach * output) / 1000)
end
local needed = nanosOf(fewest)
local function judge(reason, budget, spent, open)
  local room = budget - spent - open
  if needed > room then
    local amounts = { budget, spent, open, needed }
    for n = 1, 4 do
      amounts[n] = string.format('%.0f', amounts[n])
    end
    return { 'refused', reason, amounts[1], amounts[2], amounts[3], amounts[4], month }
  end
  if nanosOf(granted) > room then
    granted = math.max(fewest, math.floor((room * 1000 - promptPicos) / picosEach))
    -- The quotient may be rounded up.
    while nanosOf(granted) > room do
      granted = granted - 1
    end
  end
  return nil
end
local refusal = judge('request', tonumber(ARGV[13]), 0, 0)
  or (ARGV[7] ~= '' and judge('key', tonumber(ARGV[7]), keySettled, keyReserved))
  or judge('account', tonumber(ARGV[8]), settled, reserved)
if refusal then
  return refusal
end

-- The limits.
if redis.call('HLEN', KEYS[6]) >= tonumber(ARGV[12]) then
  return rates({ 'refused', 'concurrent', 1000 })
end
local wait = math.max(requests.wait(1), keyRequests and keyRequests.wait(1) or 0)
if wait > 0 then
  return rates({ 'refused', 'requests', math.ceil(wait / 1000) })
end
local allTokens = tonumber(ARGV[19]) + tonumber(ARGV[21]) * granted
wait = tokens.wait(allTokens)
if wait > 0 then
  return rates({ 'refused', 'tokens', math.ceil(wait / 1000) })
end

-- It is admitted.
local nanos = nanosOf(granted)
local deadline = nowMs + tonumber(ARGV[14])
if isNewMonth then
  redis.call('DEL', KEYS[4])
  redis.call('HSET', KEYS[4], 'm', month, 's', 0, 'r', string.format('%.0f', nanos), 's:' .. key, 0,
    'r:' .. key, string.format('%.0f', nanos))
else
  redis.call('HSET', KEYS[4], 'r', string.format('%.0f', reserved + nanos), 'r:' .. key,
    string.format('%.0f', keyReserved + nanos))
end
local limits = { 'q', requests.take(1), 't', tokens.take(allTokens) }
if keyRequests then
  limits[5], limits[6] = 'q:' .. key, keyRequests.take(1)
end
-- `d` and the account's entry among the deadlines are the same: not after the first deadline of a hold.
if not firstDeadline or deadline < firstDeadline then
  local text = string.format('%.0f', deadline)
  limits[#limits + 1], limits[#limits + 2] = 'd', text
  redis.call('ZADD', KEYS[7], text, ARGV[6])
end
redis.call('HSET', KEYS[5], unpack(limits))
redis.call('HSET', KEYS[6], id, string.format('%.0f|%s|%.0f|%.0f|%s|%.0f|%s|%s|%s|%s', deadline, time[1], granted, nanos,
  ARGV[19], allTokens, ARGV[11], tagOf(ARGV[1]), key, ARGV[17]))
return rates({ granted, seconds, nanos })
