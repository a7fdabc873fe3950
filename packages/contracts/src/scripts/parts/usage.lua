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
  local touched = {}

  return {
    add = function(at, key, model, counters)
      local hour = math.floor(at / 3600)
      local name = prefix .. string.format('%.0f', hour) .. ':' .. tag
      local finalIn = hour + 2
      if nowHour >= finalIn then
        name = name .. '~' .. string.format('%.0f', nowHour)
        finalIn = nowHour + 2
      end
      touched[name] = finalIn
      local suffix = '|' .. key .. '|' .. model
      for counter, amount in pairs(counters) do
        if amount ~= 0 then
          redis.call('HINCRBY', name, counter .. suffix, string.format('%.0f', amount))
        end
      end
    end,

    write = function()
      for name, finalIn in pairs(touched) do
        local revision = redis.call('HINCRBY', name, 'rev', 1)
        redis.call('HSET', dirty, name, revision)
        if revision == 1 then
          local time = redis.call('TIME')
          redis.call('HSET', name, 'born', string.format('%.0f', time[1] * 1000000 + time[2]))
          redis.call('ZADD', index, finalIn, name)
        end
      end
    end
  }
end
