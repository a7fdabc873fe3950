-- Gathers changes to the hash of an account, and writes them with one command. Needs account.lua.
local call, packFields, unpackFields = redis.call, struct.pack, struct.unpack
local EACH(account, NAME)
-- Fields and values in turn, the account's first.
local written, count = { 'a' }
-- The gathered values by field, if a field may change more than once.
local latest

-- Begins with an account. `found` is its field `a`, nil or false if it is missing. `isSeveral` says whether a field may
-- change more than once.
local function beginWrites(found, isSeveral)
  count, latest = 2, isSeveral and {} or nil
  EACH(account, NAME) = unpackFields(accountForm, found or noAccount)
end

local function write(field, value)
  written[count + 1], written[count + 2] = field, value
  count = count + 2
  if latest then
    latest[field] = value
  end
end

-- Writes the gathered fields; with `isWhole` also the account's own.
local function endWrites(name, isWhole)
  local first = 3
  if isWhole then
    first, written[2] = 1, packFields(accountForm, EACH(account, NAME))
  end
  if count >= first then
    call('HSET', name, unpack(written, first, count))
  end
end
