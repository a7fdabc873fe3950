-- Adds to cumulative counters of usage. There is one hash for each account, hour of admission and run of Redis, so that
-- control can copy absolute values, however often. After the end of the hour that follows, a hash is final: what comes
-- even later goes into one of its own.
--
-- Fields of a hash: `rev`, raised by every change; `born`, when it began (µs since the epoch), which tells it from one of
-- the same name that a flush has taken away; and for each key and model, as `<key>|<model>`, eight doubles one after the
-- other, each with its lowest byte first:
--   n requests, e failed ones, p prompt tokens, c cached ones of these, o completion tokens, u nanodollars,
--   x requests whose usage is estimated, y nanodollars of those
-- (A field for each counter costs a command for each.)
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
        local name, fields, written = hash.name, { 'rev' }, {}
        for of in pairs(hash.sums) do
          fields[#fields + 1] = of
        end
        local present = redis.call('HMGET', name, unpack(fields))
        local revision = string.format('%d', tonumber(present[1] or 0) + 1)
        written[1], written[2] = 'rev', revision
        for n = 2, #fields do
          local more = hash.sums[fields[n]]
          local requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos = 0, 0, 0, 0, 0, 0, 0, 0
          if present[n] then
            requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos =
              struct.unpack('<dddddddd', present[n])
          end
          written[#written + 1] = fields[n]
          written[#written + 1] = struct.pack('<dddddddd', requests + (more.n or 0), failed + (more.e or 0),
            prompt + (more.p or 0), cached + (more.c or 0), completion + (more.o or 0), nanos + (more.u or 0),
            estimated + (more.x or 0), estimatedNanos + (more.y or 0))
        end
        if revision == '1' then
          local time = redis.call('TIME')
          written[#written + 1] = 'born'
          written[#written + 1] = string.format('%d', time[1] * 1000000 + time[2])
          redis.call('ZADD', index, hash.finalIn, name)
        end
        redis.call('HSET', name, unpack(written))
        redis.call('HSET', dirty, name, revision)
      end
    end
  }
end
