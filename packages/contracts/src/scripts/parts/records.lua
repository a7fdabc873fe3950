--include parts/marker.lua

-- The time is in `seconds` since the epoch, `now` in µs and `nowMs`.
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local now = seconds * 1000000 + tonumber(time[2])
local nowMs = math.floor(now / 1000)

-- What is to be answered if the records that were judged are not those of this instant, in a process that is known to
-- hold every change, or if what was judged has ended; else nil. `marker` and `account` are the names of the marker of the
-- account's shard and of the hash of its record and those of its keys; versions are numbers, or nil for a record that was
-- not known, and `endsAt` is nil for never. The rest is as in verify.lua.
local function unlessJudged(run, marker, account, key, judgedKey, judgedAccount, endsAt)
  local state = redis.call('HMGET', marker, 'run', versionField)
  if state[1] ~= run or not state[2] then
    return 'unverified'
  end
  local versions = redis.call('HMGET', account, 'v', 'v:' .. key)
  local accountVersion, keyVersion = tonumber(versions[1] or nil), tonumber(versions[2] or nil)
  -- A record of an earlier epoch (10^12 versions each) than its shard's is void.
  local version = tonumber(state[2])
  local epochStart = version - version % 1e12
  if keyVersion and keyVersion < epochStart then
    keyVersion = nil
  end
  if accountVersion and accountVersion < epochStart then
    accountVersion = nil
  end
  if not (keyVersion and accountVersion and keyVersion == judgedKey and accountVersion == judgedAccount) then
    return {
      keyVersion and string.format('%.0f', keyVersion) or '',
      keyVersion and redis.call('HGET', account, 'r:' .. key) or '',
      accountVersion and string.format('%.0f', accountVersion) or '',
      accountVersion and redis.call('HGET', account, 'r') or ''
    }
  end
  if endsAt and nowMs >= endsAt then
    return 'ended'
  end
  return nil
end
