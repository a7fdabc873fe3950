#!lua
-- Decides whether a request may start, on the state of this instant. The caller has judged the key and the account on
-- cached records of the versions that it names; if either has moved on, nothing is decided and it gets the current ones.
-- Everything is validated before the first write.
--
-- KEYS[1]  marker of the account's shard
-- KEYS[2]  hash of the account's keys     KEYS[3]  hash of the account
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- ARGV[3]  version of the key record and  ARGV[4]  of the account record that were judged; '' for none
-- ARGV[5]  when what was judged ends (the key's expiry or a rotated secret's grace), ms since the epoch; '' for never
-- Returns
--   'admitted'
--   'ended'       the time in ARGV[5] has come
--   'unverified'  it is not known that this process holds every change of the shard
--   { key version, key record, account version, account record }  the current records, '' for one that is not there
local marker = redis.call('HMGET', KEYS[1], 'run', 'version')
if marker[1] ~= ARGV[1] then
  return 'unverified'
end

local keyVersion = redis.call('HGET', KEYS[2], 'v:' .. ARGV[2]) or ''
local accountVersion = redis.call('HGET', KEYS[3], 'v') or ''
-- A record of an earlier epoch (10^12 versions each) than its shard's is void.
local epochStart = math.floor(tonumber(marker[2]) / 1e12) * 1e12
if keyVersion ~= '' and tonumber(keyVersion) < epochStart then
  keyVersion = ''
end
if accountVersion ~= '' and tonumber(accountVersion) < epochStart then
  accountVersion = ''
end
if keyVersion == '' or accountVersion == '' or keyVersion ~= ARGV[3] or accountVersion ~= ARGV[4] then
  return {
    keyVersion,
    keyVersion ~= '' and redis.call('HGET', KEYS[2], 'r:' .. ARGV[2]) or '',
    accountVersion,
    accountVersion ~= '' and redis.call('HGET', KEYS[3], 'r') or ''
  }
end

if ARGV[5] ~= '' then
  local time = redis.call('TIME')
  if tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) >= tonumber(ARGV[5]) then
    return 'ended'
  end
end
return 'admitted'
