-- Adds to cumulative counters of usage. There is one hash for each account, hour of admission and run of Redis, so that
-- control can copy absolute values, however often. After the end of the hour that follows, a hash is final: what comes
-- even later goes into one of its own.
--
-- Fields of a hash: `rev`, raised by every change; and for each key and model, as `<counter>|<key>|<model>`:
--   n requests, e failed ones, p prompt tokens, c cached ones of these, o completion tokens, u nanodollars,
--   x requests whose usage is estimated, y nanodollars of those
--
-- `prefix` is the name of the account's hashes before the hour, `dirty` and `index` are of the account's shard: hash →
-- revision since control last copied it, and the hashes in order of the hour in which they are final.
local function openUsage(prefix, dirty, index, tag, nowSeconds)
  local nowHour = math.floor(nowSeconds / 3600)
  -- By hash: the hour in which it is final, and what is added to its fields.
  local final, added = {}, {}

  return {
    add = function(at, key, model, counters)
      local hour = math.floor(at / 3600)
      local name = prefix .. string.format('%.0f', hour) .. ':' .. tag
      local finalIn = hour + 2
      if nowHour >= finalIn then
        name = name .. '~' .. string.format('%.0f', nowHour)
        finalIn = nowHour + 2
      end
      local amounts = added[name]
      if not amounts then
        amounts = { rev = 1 }
        final[name], added[name] = finalIn, amounts
      end
      local suffix = '|' .. key .. '|' .. model
      for counter, amount in pairs(counters) do
        if amount ~= 0 then
          local field = counter .. suffix
          amounts[field] = (amounts[field] or 0) + amount
        end
      end
    end,

    write = function()
      for name, amounts in pairs(added) do
        local fields = {}
        for field in pairs(amounts) do
          fields[#fields + 1] = field
        end
        local values = redis.call('HMGET', name, unpack(fields))
        local written = {}
        for n, field in ipairs(fields) do
          written[2 * n - 1] = field
          written[2 * n] = string.format('%.0f', tonumber(values[n] or 0) + amounts[field])
          if field == 'rev' then
            redis.call('HSET', dirty, name, written[2 * n])
            if not values[n] then
              redis.call('ZADD', index, final[name], name)
            end
          end
        end
        redis.call('HSET', name, unpack(written))
      end
    end
  }
end
