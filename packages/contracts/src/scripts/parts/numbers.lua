-- The whole number of a text, at least 0, and at most `most` or else the largest that is exact. Fails for anything else,
-- 'nan' and '' among it: scripts ask for every number before they write anything.
local function whole(text, most)
  local number = tonumber(text)
  if not number or number < 0 or number % 1 ~= 0 or number > (most or 9007199254740992) then
    error('not a whole number: ' .. tostring(text))
  end
  return number
end

-- The same, at least 1.
local function positive(text)
  local number = whole(text)
  if number == 0 then
    error('not above 0: ' .. tostring(text))
  end
  return number
end

-- Fails unless all six are whole numbers, at least 0 and exact: one look at them is cheaper than six.
local function insistOnWhole(a, b, c, d, e, f)
  local most = 9007199254740992
  local isWhole = a % 1 + b % 1 + c % 1 + d % 1 + e % 1 + f % 1 == 0
  local isInRange = a >= 0 and b >= 0 and c >= 0 and d >= 0 and e >= 0 and f >= 0
    and a <= most and b <= most and c <= most and d <= most and e <= most and f <= most
  if not (isWhole and isInRange) then
    error('not whole numbers')
  end
end
