--include layout/marker.lua
--include keyspace/names.lua

-- The runs of which the ledger has usage that this process lacks, for the shard of an account; nil if control has not
-- verified the shard for this process.
local function lostRuns(name, run)
  local _, verified, _, lost = readVouched(redis.call('HGET', 'shard:' .. shardOf(name), vouchedField))
  return verified == run and lost or nil
end

-- Whether one of some runs is among others. Both are tags of 16 characters, one after the other.
local function isAnyAmong(runs, others)
  for n = 1, #runs, 16 do
    local tag = string.sub(runs, n, n + 15)
    for m = 1, #others, 16 do
      if string.sub(others, m, m + 15) == tag then
        return true
      end
    end
  end
  return false
end
