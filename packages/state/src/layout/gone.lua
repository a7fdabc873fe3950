-- An entry `gone:{aNN}:<id>` tells late commands how the hold of a request ended: 'cancelled', or the charge of a reaped
-- request with bars between: nanodollars, prompt tokens, completion tokens, time of admission (s), key, model.
-- Returns the parts of a charge in that order; nil for anything else.
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

-- Entries are kept for a day: far longer than any command can be late.
local goneMs = 86400000

-- The beginning of an entry's name. The id of the request follows.
local function goneOf(shard)
  return 'gone:' .. shard .. ':'
end

-- When an entry expires that is written `now` (µs since the epoch): ms since the epoch. The account's `gone` notes it.
local function goneUntil(now)
  return math.ceil(now / 1000) + goneMs
end
