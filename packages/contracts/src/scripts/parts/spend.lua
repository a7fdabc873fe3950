-- Gathers what changes in the spend of an account, and writes it at once. Amounts are nanodollars.
-- `spend` is the name of the hash: `m` is the month, yyyymm; `s` and `r` are settled and reserved of the account, `s:<key>`
-- and `r:<key>` of a key. A hash that is missing has not been seeded, and stays missing: nothing is admitted on it, and
-- what it lacks comes from the ledger.
local function openSpend(spend)
  local month = tonumber(redis.call('HGET', spend, 'm') or nil)
  local isNew = false
  local changes = {}

  local function add(field, amount)
    changes[field] = (changes[field] or 0) + amount
  end

  return {
    -- Notes a change of what a key and its account have settled and reserved in a month. The months before the present
    -- one do not count any more.
    change = function(of, key, settled, reserved)
      if month == nil or of < month then
        return
      end
      if of > month then
        month, isNew, changes = of, true, {}
      end
      add('s', settled)
      add('r', reserved)
      add('s:' .. key, settled)
      add('r:' .. key, reserved)
    end,

    write = function()
      local fields = {}
      for field in pairs(changes) do
        fields[#fields + 1] = field
      end
      if #fields == 0 then
        return
      end
      local values = isNew and {} or redis.call('HMGET', spend, unpack(fields))
      local pairsOf = {}
      for n, field in ipairs(fields) do
        pairsOf[2 * n - 1] = field
        -- Never below zero, whatever was lost.
        pairsOf[2 * n] = string.format('%.0f', math.max(0, (tonumber(values[n] or nil) or 0) + changes[field]))
      end
      if isNew then
        redis.call('DEL', spend)
        redis.call('HSET', spend, 'm', string.format('%.0f', month))
      end
      redis.call('HSET', spend, unpack(pairsOf))
    end
  }
end
