-- A hold: its deadline (ms since the epoch), time of admission (s), granted output tokens, nanodollars, prompt tokens, all
-- tokens, the account's tokens per minute then, tag of the run, field of the key, model, and fields of the budgets that it
-- counts for (see budget.lua), separated by spaces.
local holdForm = FORM(hold)

-- Returns the parts of a hold in that order. Releases before the budgets wrote none: the added byte ends an empty text.
local function readHold(packed)
  return struct.unpack(holdForm, packed .. '\0')
end
