-- What a request leaves when its hold ended before it did: 'cancelled', or if it was reaped what it was charged, with
-- bars between: nanodollars, prompt tokens, completion tokens, when it was admitted (s), key, model.
-- Returns the latter in that order, the numbers as numbers; nil if it was not reaped.
local function readReaped(text)
  local nanos, prompt, completion, at, key, model =
    string.match(text or '', '^(%d+)|(%d+)|(%d+)|(%d+)|([^|]*)|(.*)$')
  return tonumber(nanos), tonumber(prompt), tonumber(completion), tonumber(at), key, model
end

-- What is counted of a request that is reaped: all that was reserved, as an estimate.
local function reapedCounts(nanos, prompt, completion)
  return { requests = 1, promptTokens = prompt, completionTokens = completion, costNanos = nanos, estimatedRequests = 1,
    estimatedNanos = nanos }
end

-- How long it is kept, a day: far longer than anything can still be under way.
local goneMs = 86400000

-- The beginning of its name, which the request's id ends.
local function goneOf(shard)
  return 'gone:' .. shard .. ':'
end

-- Until when one is kept that is left now (µs since the epoch), ms since the epoch: until then its account says so.
local function goneUntil(now)
  return math.ceil(now / 1000) + goneMs
end
