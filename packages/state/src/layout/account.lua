-- One hash, `acct:{aNN}:<account>`, has everything of an account: an admission or a settlement reads once and writes once.
-- Its fields follow. All but records are packed for struct.unpack: numbers are doubles (8 bytes, the lowest first). Amounts
-- are nanodollars.
--   r, r:<key>   records of the account and of its keys, JSON
--   a         the account:
--             version       of its record; 0 without a record
--             month         of its spend, yyyymm; 0 while its spend is not seeded
--             settled, reserved   in this month
--             open          number of open holds
--             arrival, tokenArrival   arrival times of its request rate and its token rate, µs since the epoch
--             due           no hold ends before this time, ms since the epoch; 0 without holds
--             endedUntil    when the last entry of ended-hold.lua expires, ms since the epoch
--   k:<key>   a key: version of its record, 0 without a record; month; settled and reserved in it; arrival time of its own
--             request rate
--   b<window>:<id>   a budget, and with `t`, `q` or `o` instead of `b` a limit of counts: see budget.lua
--   h:<id>    a hold: see hold.lua
--   u:<hour>:<run>|<key>|<model>   usage: see usage.lua
-- Requests are refused until the spend is seeded from the ledger. Amounts of an earlier month than the account's count as 0.
local accountForm, keyForm = FORM(account), FORM(key)
-- Both begin with the version of their record.
local versionForm = '<d'
local noAccount, noKey = struct.pack(accountForm, EACH(account, 0)), struct.pack(keyForm, EACH(key, 0))

-- Returns the parts of a key's field. Amounts of another month than this are 0.
local function readKey(packed, thisMonth)
  local EACH(key, NAME) = struct.unpack(keyForm, packed)
  if month ~= thisMonth then
    month, settled, reserved = thisMonth, 0, 0
  end
  return EACH(key, NAME)
end

-- A spend as open-spends.lua returns it and seed-spend.lua compares it.
local function seenOf(month, settled)
  return month > 0 and string.format('%.0f|%.0f', month, settled) or '|'
end
