-- The µs of a rate that tokens have taken which were not used; below 0 if more were used than taken. What has flowed off
-- since is back already: `taken` is how many µs were not back yet, of all that was taken up to then.
local function unused(tokens, perMinute, taken)
  local micros = tokens * 60000000 / perMinute
  return micros > 0 and math.min(micros, math.max(0, taken)) or micros
end

-- Gives back µs of an account's rate of tokens; `limits` is the name of the hash of its limiters.
local function giveBack(limits, micros)
  local arrival = micros ~= 0 and redis.call('HGET', limits, 't')
  if arrival then
    redis.call('HSET', limits, 't', string.format('%.2f', math.max(0, tonumber(arrival) - micros)))
  end
end
