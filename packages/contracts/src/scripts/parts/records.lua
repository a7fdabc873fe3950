-- The time is in `seconds` since the epoch, `now` in µs and `nowMs`.
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local now = seconds * 1000000 + tonumber(time[2])
local nowMs = math.floor(now / 1000)

-- What is to be answered if the records that were judged are not those of this instant, in a process that is known to
-- hold every change, or if what was judged has ended; else nil. KEYS from `first` on are the marker of the account's
-- shard, the hash of its keys and its own; the rest is as in verify.lua, with nil for never.
local function unlessJudged(run, first, key, judgedKey, judgedAccount, endsAt)
  local marker = redis.call('HMGET', KEYS[first], 'run', 'version')
  if marker[1] ~= run then
    return 'unverified'
  end
  local keyVersion = redis.call('HGET', KEYS[first + 1], 'v:' .. key) or ''
  local accountVersion = redis.call('HGET', KEYS[first + 2], 'v') or ''
  -- A record of an earlier epoch (10^12 versions each) than its shard's is void.
  local epochStart = math.floor(tonumber(marker[2]) / 1e12) * 1e12
  if keyVersion ~= '' and tonumber(keyVersion) < epochStart then
    keyVersion = ''
  end
  if accountVersion ~= '' and tonumber(accountVersion) < epochStart then
    accountVersion = ''
  end
  if keyVersion == '' or accountVersion == '' or keyVersion ~= judgedKey or accountVersion ~= judgedAccount then
    return {
      keyVersion,
      keyVersion ~= '' and redis.call('HGET', KEYS[first + 1], 'r:' .. key) or '',
      accountVersion,
      accountVersion ~= '' and redis.call('HGET', KEYS[first + 2], 'r') or ''
    }
  end
  if endsAt and nowMs >= endsAt then
    return 'ended'
  end
  return nil
end
