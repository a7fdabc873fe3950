--include layout/marker.lua
--include keyspace/names.lua

-- Returns the runs whose usage the ledger has and this process lacks, for the shard of an account; nil if control has not
-- verified the shard for this process.
local function lostRuns(name, run)
  local _, verified, _, lost = readVerified(redis.call('HGET', 'shard:' .. shardOf(name), verifiedField))
  return verified == run and lost or nil
end

-- Returns whether two lists of runs share one. Each list is tags of 16 characters in a row.
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
