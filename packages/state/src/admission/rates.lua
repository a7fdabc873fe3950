-- Rates use the generic cell rate algorithm (ITU-T I.371). Each limit has one arrival time in µs, exact to a quarter, because
-- it is a double. It may lie ahead by the burst and a little for rounding. A request of more tokens than the burst is
-- admitted when no tokens are owed. So 60 s admit at most the limit plus the larger of the burst and the largest request.
-- Needs records.lua and account-writes.lua.
local minute, max = 60000000, math.max
-- Maximum debt of the token rate, µs. Prompts are estimated, so requests that were admitted together may have used several times a
-- minute's tokens. Of a clock that was set back, more remains owed only until the rate of requests shows it.
local maxOwed = 10 * minute
local perMinute, keyPerMinute, tokensPerMinute
local burst, keyBurst, tokenBurst
-- For each rate: µs for a unit, and how far the arrival time may lie ahead now.
local perRequest, last
local perKeyRequest, keyArrival, lastOfKey
local perToken, lastToken
-- What the limits of counts leave of tokens; nil without one.
local countedTokensLeft

-- Returns the rates for an answer. Of the two request rates it shows the one that will refuse first. Each ends with the time
-- until the rate is full again. (Remainders cost a fraction of rounding.)
local function rates()
  local limited, left, rest = perMinute, (last - arrival) / perRequest, arrival - now
  if keyPerMinute then
    local keyLeft = (lastOfKey - keyArrival) / perKeyRequest
    if keyLeft - keyLeft % 1 < left - left % 1 then
      limited, left, rest = keyPerMinute, keyLeft, keyArrival - now
    end
  end
  local tokensLeft, tokensRest = (lastToken - tokenArrival) / perToken, tokenArrival - now
  if countedTokensLeft and countedTokensLeft < tokensLeft then
    tokensLeft = countedTokensLeft
  end
  return limited, left > 0 and left - left % 1 or 0, (rest + -rest % 1000) / 1000,
    tokensLeft > 0 and tokensLeft - tokensLeft % 1 or 0, (tokensRest + -tokensRest % 1000) / 1000
end

-- Prepares the rates for this instant. An arrival time lies too far ahead after the clock was set back, or after a plan with a
-- larger burst. It is cut so that one request is admitted, or as many as a high rate admits in a millisecond. The rest of the
-- burst stays owed. A cut must be written, or every attempt would cut to the same distance. The token rate is cut by as much
-- as the request rate.
-- Returns whether a rate was cut.
local function beginRates()
  local isCut = false
  perRequest, perToken = minute / perMinute, minute / tokensPerMinute
  last, lastToken = now + burst, now + tokenBurst
  if arrival > last then
    local cut = max(now, last - max(perRequest, 1000))
    arrival, tokenArrival, isCut = cut, tokenArrival - (arrival - cut), true
  elseif arrival < now then
    arrival = now
  end
  if tokenArrival > now + maxOwed then
    tokenArrival, isCut = now + maxOwed, true
  elseif tokenArrival < now then
    tokenArrival = now
  end
  if keyPerMinute then
    perKeyRequest, lastOfKey = minute / keyPerMinute, now + keyBurst
    if keyArrival > lastOfKey then
      keyArrival, isCut = max(now, lastOfKey - max(perKeyRequest, 1000)), true
    elseif keyArrival < now then
      keyArrival = now
    end
  end
  return isCut
end
