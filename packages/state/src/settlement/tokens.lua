-- Returns how many µs of a rate to give back, of `micros` that were taken and not used; below 0 if more were used. `taken`
-- is how many µs of the rate are not back yet: time has given back the rest.
local function stillTaken(micros, taken)
  return micros > 0 and math.min(micros, math.max(0, taken)) or micros
end

-- The same for tokens.
local function unused(tokens, perMinute, taken)
  return stillTaken(tokens * 60000000 / perMinute, taken)
end
