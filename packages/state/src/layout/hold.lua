-- A hold: its deadline (ms since the epoch), time of admission (s), granted output tokens, nanodollars, prompt tokens, all
-- tokens, the account's tokens per minute then, tag of the run, field of the key, model.
local holdForm = FORM(hold)

-- Returns the parts of a hold in that order.
local function readHold(packed)
  return struct.unpack(holdForm, packed)
end
