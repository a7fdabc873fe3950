-- Gives back µs of an account's rate of tokens; `limits` is the name of the hash of its limiters.
local function giveBack(limits, micros)
  local arrival = micros ~= 0 and redis.call('HGET', limits, 't')
  if arrival then
    redis.call('HSET', limits, 't', string.format('%.2f', math.max(0, tonumber(arrival) - micros)))
  end
end
