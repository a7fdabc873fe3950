--include layout/account.lua
--include layout/marker.lua

-- The time is in `seconds` since the epoch, `now` in µs and `nowMs`.
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local now = seconds * 1000000 + tonumber(time[2])
local nowMs = math.floor(now / 1000)

-- Returns whether a record is in force. A record of an earlier epoch (10^12 versions each) than its shard's is void.
local function isInForce(version, epochStart)
  return version > 0 and version >= epochStart
end

-- Returns the records of a key and its account that are in force: version (decimal integer) and text of each, '' for a missing
-- record.
local function currentRecords(name, key, keyVersion, accountVersion, epochStart)
  local hasKey, hasAccount = isInForce(keyVersion, epochStart), isInForce(accountVersion, epochStart)
  return hasKey and string.format('%.0f', keyVersion) or '', hasKey and redis.call('HGET', name, 'r:' .. key) or '',
    hasAccount and string.format('%.0f', accountVersion) or '', hasAccount and redis.call('HGET', name, 'r') or ''
end
