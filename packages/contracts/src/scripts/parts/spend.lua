-- Gathers what changes in the spend of an account, and writes it at once. Amounts are nanodollars.
-- `spend` is the name of the hash: `m` is the month, yyyymm; `s` and `r` are settled and reserved of the account, `s:<key>`
-- and `r:<key>` of a key. A hash that is missing has not been seeded, and stays missing: nothing is admitted on it, and
-- what it lacks comes from the ledger.
local function openSpend(spend)
  -- By month, by field.
  local changes = {}
  local latest = 0

  return {
    -- Notes a change of what a key and its account have settled and reserved in a month.
    change = function(month, key, settled, reserved)
      local of = changes[month]
      if not of then
        of = { s = 0, r = 0 }
        changes[month] = of
        latest = math.max(latest, month)
      end
      local keySettled, keyReserved = 's:' .. key, 'r:' .. key
      of.s, of.r = of.s + settled, of.r + reserved
      of[keySettled] = (of[keySettled] or 0) + settled
      of[keyReserved] = (of[keyReserved] or 0) + reserved
    end,

    -- The months before the present one do not count any more.
    write = function()
      local names, written = { 'm' }, {}
      for _, of in pairs(changes) do
        for field in pairs(of) do
          names[#names + 1] = field
        end
      end
      if #names == 1 then
        return
      end
      local values = redis.call('HMGET', spend, unpack(names))
      local month = tonumber(values[1] or nil)
      if not month then
        return
      end
      local isNew = latest > month
      local present = changes[isNew and latest or month]
      if not present then
        return
      end
      if isNew then
        redis.call('DEL', spend)
        written[1], written[2] = 'm', string.format('%.0f', latest)
      end
      for n = 2, #names do
        local change = present[names[n]]
        if change and (change ~= 0 or isNew) then
          local before = not isNew and tonumber(values[n] or nil) or 0
          written[#written + 1] = names[n]
          -- Never below zero, whatever was lost.
          written[#written + 1] = string.format('%.0f', math.max(0, before + change))
        end
      end
      if #written > 0 then
        redis.call('HSET', spend, unpack(written))
      end
    end
  }
end
