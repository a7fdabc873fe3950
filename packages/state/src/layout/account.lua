-- All that is of an account is one hash, `acct:{aNN}:<account>`, so that an admission or a settlement looks once and writes
-- once. Its fields; but for records they are packed as struct.unpack reads them, numbers as doubles (8 bytes, the lowest
-- first), amounts in nanodollars:
--   r, r:<key>   the records of the account and of its keys, JSON
--   a         of the account: version of its record, 0 if there is none; month (yyyymm), 0 while its spend is not seeded,
--             settled and reserved in it; how many holds are open; times of arrival of its rates of requests and of tokens
--             (µs since the epoch); before when no hold ends (ms), 0 if there is none; and until when there may be what a
--             request left whose hold ended before it did (ms), see gone.lua
--   k:<key>   of a key: version of its record, 0 if there is none; month, settled and reserved in it, time of arrival of its
--             own rate of requests
--   h:<id>    a hold: see hold.lua
--   u:<hour>:<run>|<key>|<model>   usage: see usage.lua
-- Until its spend is seeded nothing is admitted, and what it lacks comes from the ledger. What is of an earlier month than the
-- account's counts as zero.
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

-- What is told of a spend to whoever may seed it.
local function seenOf(month, settled)
  return month > 0 and string.format('%.0f|%.0f', month, settled) or '|'
end
