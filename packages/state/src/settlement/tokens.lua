-- What of µs of a rate that were taken and not used is to be given back; below 0 if more were used than taken. What has
-- flowed off since is back already: `taken` is how many µs were not back yet, of all that was taken up to then.
local function stillTaken(micros, taken)
  return micros > 0 and math.min(micros, math.max(0, taken)) or micros
end

-- The same for tokens.
local function unused(tokens, perMinute, taken)
  return stillTaken(tokens * 60000000 / perMinute, taken)
end
