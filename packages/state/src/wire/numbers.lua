-- Whole numbers are exact up to here.
local maxExact = 9007199254740992

-- Parses a whole number, at least 0 and exact. Fails for anything else, also for 'nan' and ''. Scripts check every number
-- before they write.
local function whole(text)
  local number = tonumber(text)
  if not number or number < 0 or number % 1 ~= 0 or number > maxExact then
    error('not a whole number: ' .. tostring(text))
  end
  return number
end

-- Parses an integer, exact and perhaps below 0. Fails for anything else.
local function integer(text)
  local number = tonumber(text)
  if not number or number % 1 ~= 0 or number > maxExact or number < -maxExact then
    error('not an integer: ' .. tostring(text))
  end
  return number
end

-- Fails unless all six are whole numbers, at least 0 and exact: one call is cheaper than six.
local function assertWhole(a, b, c, d, e, f)
  local most = maxExact
  local isWhole = a % 1 + b % 1 + c % 1 + d % 1 + e % 1 + f % 1 == 0
  local isInRange = a >= 0 and b >= 0 and c >= 0 and d >= 0 and e >= 0 and f >= 0
    and a <= most and b <= most and c <= most and d <= most and e <= most and f <= most
  if not (isWhole and isInRange) then
    error('not whole numbers')
  end
end
