-- Adds to cumulative counters of usage. There is one hash for each account, hour of admission and run of Redis, so that
-- control can copy absolute values, however often. After the end of the hour that follows, a hash is final: what comes
-- even later goes into one of its own.
--
-- Fields of a hash: `rev`, raised by every change; `born`, when it began (µs since the epoch), which tells it from one of
-- the same name that a flush has taken away; and for each key and model, as `<counter>|<key>|<model>`:
--   n requests, e failed ones, p prompt tokens, c cached ones of these, o completion tokens, u nanodollars,
--   x requests whose usage is estimated, y nanodollars of those
--
-- `prefix` is the name of the account's hashes before the hour, `dirty` and `index` are of the account's shard: hash →
-- revision since control last copied it, and the hashes in order of the hour in which they are final.
local function openUsage(prefix, dirty, index, tag, nowSeconds)
  local nowHour = math.floor(nowSeconds / 3600)
  local hashes = {}

  return {
    -- Notes amounts by counter, of a key and model with a bar between.
    add = function(at, of, counters)
      local hour = (at - at % 3600) / 3600
      local hash = hashes[hour]
      if not hash then
        hash = { name = prefix .. string.format('%d', hour) .. ':' .. tag, finalIn = hour + 2, sums = {} }
        if nowHour >= hash.finalIn then
          hash.name = hash.name .. '~' .. string.format('%d', nowHour)
          hash.finalIn = nowHour + 2
        end
        hashes[hour] = hash
      end
      local sums = hash.sums[of]
      if not sums then
        hash.sums[of] = counters
      else
        for counter, amount in pairs(counters) do
          sums[counter] = (sums[counter] or 0) + amount
        end
      end
    end,

    write = function()
      for _, hash in pairs(hashes) do
        local name = hash.name
        for of, sums in pairs(hash.sums) do
          for counter, amount in pairs(sums) do
            if amount ~= 0 then
              redis.call('HINCRBY', name, counter .. '|' .. of, string.format('%d', amount))
            end
          end
        end
        local revision = redis.call('HINCRBY', name, 'rev', 1)
        redis.call('HSET', dirty, name, revision)
        if revision == 1 then
          local time = redis.call('TIME')
          redis.call('HSET', name, 'born', string.format('%d', time[1] * 1000000 + time[2]))
          redis.call('ZADD', index, hash.finalIn, name)
        end
      end
    end
  }
end
