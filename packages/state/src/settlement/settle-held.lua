#!lua flags=allow-oom
-- Settles requests for the first time, in groups of one account each, with the results of settle.lua. A group is settled by
-- sums if every request has its hold; another group is left as it is. It works at maxmemory. It checks all numbers of a group
-- before it writes. If a check fails, earlier groups stay settled and the caller gets an error.
--
-- KEYS     for each group the hash of its account; in a cluster also the guard of their shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  bytes for the receipts of a shard; '' without receipts
-- ARGV, one for each group, packed as struct.unpack reads it; numbers are doubles (8 bytes, the lowest first), texts end with
-- a zero byte:
--   number of requests, number of sums
--   for each request: the unused part of its tokens, as µs of the token rate, below 0 if it used more; when the full burst was
--     available again after its admission, µs since the epoch; field of its hold
--   for each sum (requests of one hour, upstream, key and model): time of admission of one of them, s; nanodollars of their
--     holds; their amounts for each usage counter that is not rare; field of the key; end of the row's field,
--     `[-<upstream>]|<key>|<model>`; the rare counters, separated by spaces, '' if they are 0;
--     fields of the budgets and of the limits of counts, separated by spaces; a limit of tokens ends with `=` and the tokens
--     of the holds
-- then ARGV, one for each group: the receipts of its requests, one a line; '' for none. They are added if the group is settled.
-- Returns the numbers of the groups that were left, from 1.

--include wire/numbers.lua
--include settlement/posting.lua
--include keyspace/tag.lua
--include receipts/append.lua
--include settlement/tokens.lua

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tag = tagOf(ARGV[1])
local headForm, requestForm, sumForm = '<dd', '<dds', FORM(sum)

-- Names of the fields: the account, then the key and row of each sum, then the holds, then the budgets.
local fields = { 'a' }
-- The number of the last field of each sum's budgets; before the first, that of the last hold.
local budgetEnds = {}
-- The tokens of each sum's holds, if it has a limit of tokens.
local heldTokens = {}

-- Reads the rare counters of a sum: integers, separated by spaces. Returns them by name; nil for ''.
local function readRare(text)
  if text == '' then
    return nil
  end
  local counts, count = {}, 0
  for number in string.gmatch(text, '%S+') do
    count = count + 1
    counts[rareNames[count] or ''] = amountOf(rareNames[count], number)
  end
  if count ~= #rareNames then
    error('not all rare counters')
  end
  return counts
end

-- Checks a sum and notes its fields, up to number `last`. Returns where it ends, and its numbers.
local function readSum(last, EACH(sum, NAME), position)
  if not (at % 1 + heldNanos % 1 + SUM(counters, NAME % 1) == 0
    and at >= 0 and heldNanos >= 0 and ALL(counters, NAME >= 0)
    and at <= maxExact and heldNanos <= maxExact and ALL(counters, NAME <= maxExact)) then
    error('not whole numbers')
  end
  fields[last - 1], fields[last] = keyField, (rowField(at, now, tag, rowEnd))
  return position, at, heldNanos, readRare(rare), budgets, EACH(counters, NAME)
end

-- Adds the sum of this number, as `readSum` returned it. Returns where it ends.
local function post(found, number, position, at, heldNanos, rare, _, EACH(counters, NAME))
  local last = 2 * number + 1
  postSpend(fields[last - 1], found[last - 1], at, costNanos, -heldNanos)
  for n = budgetEnds[number - 1] + 1, budgetEnds[number] do
    postLimit(fields[n], found[n], at, costNanos, -heldNanos, promptTokens + completionTokens, -(heldTokens[number] or 0), requests,
      requests)
  end
  postUsage(fields[last], found[last], at, rare, EACH(counters, NAME))
  return position
end

-- Notes the fields of the budgets of the sum of this number.
local function noteBudgets(number, budgets)
  local last = budgetEnds[number - 1]
  heldTokens[number] = nil
  if budgets ~= '' then
    for field, tokens in string.gmatch(budgets, '([^ =]+)=?(%d*)') do
      last = last + 1
      fields[last] = field
      if tokens ~= '' then
        heldTokens[number] = whole(tokens)
      end
    end
  end
  budgetEnds[number] = last
end

-- Settles a group. Returns false if it is left.
local function settle(name, packed)
  local requests, sums, position = unpackFields(headForm, packed)
  if not (requests >= 1 and sums >= 1 and requests % 1 == 0 and sums % 1 == 0) then
    error('the number of requests or sums is not valid')
  end
  local first, refund = 2 * sums + 2, 0
  for n = first, first + requests - 1 do
    local micros, back
    micros, back, fields[n], position = unpackFields(requestForm, packed, position)
    if not (micros > -1e30 and micros < 1e30 and back >= 0 and back <= maxExact and back % 1 == 0) then
      error('a refund is not valid')
    end
    refund = refund + stillTaken(micros, back - now)
  end
  local second, at, heldNanos, rare, budgets, EACH(counters, moreName) = readSum(3, unpackFields(sumForm, packed, position))
  budgetEnds[0] = first + requests - 1
  noteBudgets(1, budgets)
  local after = second
  for n = 2, sums do
    local _, more
    after, _, _, _, more = readSum(2 * n + 1, unpackFields(sumForm, packed, after))
    noteBudgets(n, more)
  end
  if after <= #packed then
    error('a group is too long')
  end

  local found
  local last = budgetEnds[sums]
  if requests == 1 and last == first then
    -- HDEL also tells whether the hold was there.
    found = call('HMGET', name, unpack(fields, 1, first - 1))
    if call('HDEL', name, fields[first]) == 0 then
      return false
    end
  else
    found = call('HMGET', name, unpack(fields, 1, last))
    for n = first, first + requests - 1 do
      if not found[n] then
        return false
      end
    end
    call('HDEL', name, unpack(fields, first, first + requests - 1))
  end

  beginPosting(name, now, tag, found[1], sums > 1)
  position = post(found, 1, second, at, heldNanos, rare, budgets, EACH(counters, moreName))
  for n = 2, sums do
    position = post(found, n, readSum(2 * n + 1, unpackFields(sumForm, packed, position)))
  end
  endPosting(requests, refund)
  return true
end

local left, groups, receiptBudget = {}, #ARGV - 2, nil
if ARGV[2] ~= '' then
  groups, receiptBudget = groups / 2, whole(ARGV[2])
end
for n = 1, groups do
  if not settle(KEYS[n], ARGV[n + 2]) then
    left[#left + 1] = n
  elseif receiptBudget and ARGV[n + 2 + groups] ~= '' then
    appendReceipts(shardOf(KEYS[n]), receiptBudget, ARGV[n + 2 + groups], now)
  end
end
return left
