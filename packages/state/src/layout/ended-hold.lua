-- An entry `gone:{aNN}:<id>` says how the hold of a request ended, for late commands: 'cancelled', or the charge of a reaped
-- request, separated by bars: nanodollars, prompt tokens, completion tokens, time of admission (s), key, model. After the key
-- come the fields of its budgets, each after a space.
-- Returns the parts of a charge in that order, the budgets last; nil for anything else.
local function readReaped(text)
  local nanos, prompt, completion, at, key, budgets, model =
    string.match(text or '', '^(%d+)|(%d+)|(%d+)|(%d+)|([^| ]*) ?([^|]*)|(.*)$')
  return tonumber(nanos), tonumber(prompt), tonumber(completion), tonumber(at), key, model, budgets
end

-- The counters of a reaped request: its whole reservation, as an estimate.
local function reapedCounts(nanos, prompt, completion)
  return { requests = 1, promptTokens = prompt, completionTokens = completion, costNanos = nanos, estimatedRequests = 1,
    estimatedNanos = nanos }
end

-- Entries are kept for a day: far longer than any command can be late.
local endedHoldMs = 86400000

-- The beginning of an entry's name. The id of the request follows.
local function endedHoldPrefix(shard)
  return 'gone:' .. shard .. ':'
end

-- When an entry expires that is written `now` (µs since the epoch), ms since the epoch. The account's `endedUntil` stores it.
local function endedHoldExpiry(now)
  return math.ceil(now / 1000) + endedHoldMs
end
