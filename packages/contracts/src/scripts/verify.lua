#!lua
-- Confirms that a key may be used at this instant, without reserving anything: the caller has judged it and its account
-- on cached records of the versions that it names; if either has moved on, it gets the current ones.
--
-- KEYS[1]  marker of the account's shard     KEYS[2]  hash of the account's record and those of its keys
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  key id
-- ARGV[3]  version of the key record and  ARGV[4]  of the account record that were judged; '' for none
-- ARGV[5]  when what was judged ends (the key's expiry or a rotated secret's grace), ms since the epoch; '' for never
-- Returns
--   'admitted'
--   'ended'       the time in ARGV[5] has come
--   'unverified'  it is not known that this process holds every change of the shard
--   { key version, key record, account version, account record }  the current records, '' for one that is not there

--include parts/numbers.lua
--include parts/records.lua
local key, judgedKey, judgedAccount = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local endsAt = ARGV[5] ~= '' and whole(ARGV[5]) or nil
return unlessJudged(ARGV[1], KEYS[1], KEYS[2], key, judgedKey, judgedAccount, endsAt) or 'admitted'
