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
