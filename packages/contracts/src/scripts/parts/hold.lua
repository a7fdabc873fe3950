-- A hold is the text of these, with bars between: its deadline (ms since the epoch), when it was admitted (s), granted
-- output tokens, nanodollars, prompt tokens, all tokens, tokens a minute that counted, tag of the run, key, model.
-- Returns them in that order, the numbers as numbers.
local function readHold(text)
  local deadline, at, granted, nanos, prompt, tokens, rate, tag, key, model =
    string.match(text, '^(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(.*)$')
  return tonumber(deadline), tonumber(at), tonumber(granted), tonumber(nanos), tonumber(prompt), tonumber(tokens),
    tonumber(rate), tag, key, model
end
