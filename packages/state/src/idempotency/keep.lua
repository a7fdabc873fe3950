#!lua
-- Replaces a claim by the answer of its request, within the budgets of the shard and of the account. The oldest answers leave
-- first: they become marks, so that a repeated request is refused and not charged again. Marks take up to an eighth of an account's
-- budget; then the oldest mark leaves.
--
-- KEYS[1]  claim, `idem:{aNN}:<account>:<digest>`. All other names have the same tag:
--   idem-answers:{aNN}:<account>  list of the account's answers, the oldest first: '<digest> <bytes> <end, ms since the epoch>'
--   idem-marks:{aNN}:<account>    the same for its marks
--   idem-bytes:{aNN}              hash: bytes of each account, of its marks in '<account> marks', and of the shard in ''
--   idem-accounts:{aNN}           sorted set of accounts by the time of their last answer, ms since the epoch
-- ARGV[1]  run id, not used    ARGV[2]  fingerprint    ARGV[3]  token of the holder    ARGV[4]  how long to keep the answer, ms
-- ARGV[5]  budget of the shard, bytes    ARGV[6]  budget of an account, bytes
-- ARGV[7]  'k', the fingerprint and the answer in one: joining a long text here would copy it again; '' to keep only a mark
--
-- Returns { 'kept', 'lost' (a mark is kept), 'none' (no room for a mark) or 'other' (the caller does not hold the claim), number of
-- answers that became marks }.

-- What counts for an entry besides its answer: its name, fingerprint, expiry and place in the list.
local entryBytes = 640
-- Entries that one call may remove, so that it stays short.
local steps = 100

local name, fingerprint, value = KEYS[1], ARGV[2], ARGV[7]
local keptMs, shardBudget, accountBudget = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local own = 'r' .. fingerprint .. ARGV[3]
local head = redis.call('GETRANGE', name, 0, #own - 1)
-- A claim that has expired may be kept: nobody else runs the request.
if head ~= '' and head ~= own then
  return { 'other', 0 }
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local tag, account, digest = string.sub(name, 6, 10), string.sub(name, 12, -45), string.sub(name, -43)
local sums, accounts = 'idem-bytes:' .. tag, 'idem-accounts:' .. tag
local evicted = 0

local function listOf(kind, one)
  return 'idem-' .. kind .. ':' .. tag .. ':' .. one
end
local function bytesOf(field)
  return tonumber(redis.call('HGET', sums, field) or 0)
end
local function count(kind, one, bytes)
  local change = string.format('%.0f', bytes)
  redis.call('HINCRBY', sums, '', change)
  redis.call('HINCRBY', sums, one, change)
  if kind == 'marks' then
    redis.call('HINCRBY', sums, one .. ' marks', change)
  end
end
local function add(kind, one, itsDigest, bytes, endsAt)
  local list = listOf(kind, one)
  redis.call('RPUSH', list, string.format('%s %.0f %.0f', itsDigest, bytes, endsAt))
  redis.call('PEXPIRE', list, ARGV[4])
  count(kind, one, bytes)
end
local function forget(one)
  count('answers', one, 0 - bytesOf(one))
  redis.call('HDEL', sums, one, one .. ' marks')
  redis.call('ZREM', accounts, one)
  redis.call('DEL', listOf('answers', one), listOf('marks', one))
end

-- Removes the oldest entry of a list; an answer becomes a mark. Returns whether there was one.
local function dropFirst(kind, one)
  steps = steps - 1
  local entry = redis.call('LPOP', listOf(kind, one))
  if not entry then
    return false
  end
  local itsDigest, bytes, endsAt = string.match(entry, '^(%S+) (%d+) (%d+)$')
  count(kind, one, 0 - tonumber(bytes))
  local left = tonumber(endsAt) - now
  if left <= 0 then
    return true
  end
  local kept = 'idem:' .. tag .. ':' .. one .. ':' .. itsDigest
  local itsHead = redis.call('GETRANGE', kept, 0, #fingerprint)
  local state = string.sub(itsHead, 1, 1)
  -- Redis may have lost the entry, and another request may have claimed its name.
  if state == 'l' then
    redis.call('DEL', kept)
  elseif state == 'k' then
    redis.call('SET', kept, 'l' .. string.sub(itsHead, 2), 'PX', string.format('%.0f', left))
    add('marks', one, itsDigest, entryBytes, tonumber(endsAt))
    evicted = evicted + 1
  end
  return true
end
local function dropOldest(one)
  local hasRoomForMarks = bytesOf(one .. ' marks') + entryBytes <= accountBudget / 8
  local isDropped = hasRoomForMarks and dropFirst('answers', one) or dropFirst('marks', one) or dropFirst('answers', one)
  if not isDropped then
    forget(one)
  end
end

local function hasEnded(one)
  local last = redis.call('ZSCORE', accounts, one)
  return last and tonumber(last) + keptMs <= now
end
local function oldestAccount()
  return redis.call('ZRANGE', accounts, 0, 0)[1]
end
local function firstHasEnded(kind)
  local first = redis.call('LINDEX', listOf(kind, account), 0)
  return first and tonumber(string.match(first, '%d+$')) <= now
end

-- Makes room for bytes of this account. Returns whether there is.
local function makeRoom(bytes)
  if bytes > accountBudget or bytes > shardBudget then
    return false
  end
  while steps > 0 and bytesOf(account) + bytes > accountBudget do
    dropOldest(account)
  end
  while steps > 0 and bytesOf('') + bytes > shardBudget do
    local one = oldestAccount()
    if not one then
      -- The sum is wrong, because there is nothing to remove.
      redis.call('DEL', sums)
      break
    end
    dropOldest(one)
  end
  return bytesOf(account) + bytes <= accountBudget and bytesOf('') + bytes <= shardBudget
end

if hasEnded(account) then
  forget(account)
end
local oldest = oldestAccount()
while steps > 0 and oldest and hasEnded(oldest) do
  steps = steps - 1
  forget(oldest)
  oldest = oldestAccount()
end
for _, kind in ipairs({ 'answers', 'marks' }) do
  while steps > 0 and firstHasEnded(kind) do
    dropFirst(kind, account)
  end
end

-- Redis rounds the memory of a long text up, by a quarter at most.
local bytes = entryBytes + math.ceil((#value - #fingerprint - 1) * 1.25)
local outcome = 'none'
if value ~= '' and makeRoom(bytes) then
  outcome = 'kept'
else
  bytes = entryBytes
  if makeRoom(bytes) then
    outcome = 'lost'
  end
end
if outcome == 'none' then
  redis.call('DEL', name)
  return { outcome, evicted }
end
redis.call('SET', name, outcome == 'kept' and value or 'l' .. fingerprint, 'PX', ARGV[4])
add(outcome == 'kept' and 'answers' or 'marks', account, digest, bytes, now + keptMs)
redis.call('ZADD', accounts, string.format('%.0f', now), account)
redis.call('PEXPIRE', sums, string.format('%.0f', 2 * keptMs))
redis.call('PEXPIRE', accounts, string.format('%.0f', 2 * keptMs))
return { outcome, evicted }
