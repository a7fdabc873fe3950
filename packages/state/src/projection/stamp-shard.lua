#!lua flags=allow-oom
-- Ends a replay: says that this process holds every change of the shard up to a version.
-- Compare-and-set on what claim-shard returned. It clears all claims, so of several replays at once the first to
-- finish wins, and the others, which may know less, change nothing.
-- A month that is open stays open.
--
-- KEYS[1]  marker of the shard
-- ARGV[1]  token of this replay
-- ARGV[2]  version and  ARGV[3]  run that the claim returned
-- ARGV[4]  version and  ARGV[5]  run to set
-- ARGV[6]  the month that is open, yyyymm; 0 to leave it as it is
-- ARGV[7]  the runs of which the ledger has usage that this process lacks (tags, one after the other); '=' to leave it as it is
-- Returns 1 if stamped, 0 if the shard has moved on or the claim is gone.

--include layout/marker.lua
local at = redis.call('HMGET', KEYS[1], vouchedField, 'claim:' .. ARGV[1])
local version, run, month, lost = readVouched(at[1])
if not at[2] or (version and string.format('%.0f', version) or '') ~= ARGV[2] or (run or '') ~= ARGV[3] then
  return 0
end
-- Also what a marker of another form says.
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, '^claim:') or string.find(field, '^vouched:') then
    redis.call('HDEL', KEYS[1], field)
  end
end
redis.call('HSET', KEYS[1], vouchedField, struct.pack(vouchedForm, ARGV[4], math.max(month or 0, ARGV[6]), ARGV[5],
  ARGV[7] ~= '=' and ARGV[7] or lost or ''))
return 1
