#!lua flags=allow-oom
-- Ends a replay: marks the shard as verified, which means that this process has every change up to a version.
-- It compares the marker with what claim-shard.lua returned, then sets it and clears all claims. So the first of several
-- replays wins; the others, which may know less, change nothing.
-- A month that is open stays open. The marker keeps the epoch of its first verification in `since`: Redis has had every change
-- since then, until it loses its data, and the field with it.
--
-- KEYS[1]  marker of the shard
-- ARGV[1]  token of this replay
-- ARGV[2]  version and  ARGV[3]  run that the claim returned
-- ARGV[4]  version and  ARGV[5]  run to set
-- ARGV[6]  month to open, yyyymm; 0 to leave it as it is
-- ARGV[7]  runs whose usage the ledger has and this process lacks (tags in a row); '=' to leave them as they are
-- Returns 1 if verified, 0 if the marker has changed or the claim is lost.

--include layout/marker.lua
local at = redis.call('HMGET', KEYS[1], verifiedField, 'claim:' .. ARGV[1])
local version, run, month, lost = readVerified(at[1])
if not at[2] or (version and string.format('%.0f', version) or '') ~= ARGV[2] or (run or '') ~= ARGV[3] then
  return 0
end
redis.call('HSETNX', KEYS[1], 'since', string.format('%.0f', math.floor(tonumber(ARGV[4]) / 1e12)))
-- Fields of other versions, too.
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, '^claim:') or string.find(field, '^vouched:') then
    redis.call('HDEL', KEYS[1], field)
  end
end
redis.call('HSET', KEYS[1], verifiedField, struct.pack(verifiedForm, ARGV[4], math.max(month or 0, ARGV[6]), ARGV[5],
  ARGV[7] ~= '=' and ARGV[7] or lost or ''))
return 1
