-- A hold, packed: its deadline (ms since the epoch), when it was admitted (s), granted output tokens, nanodollars, prompt
-- tokens, all tokens, tokens a minute that counted, tag of the run, field of the key, model.
local holdForm = FORM(hold)

-- Returns them in that order.
local function readHold(packed)
  return struct.unpack(holdForm, packed)
end
