--include wire/numbers.lua

-- Counters that are 0 for most requests. They are passed and stored only where one is not 0, because each further number costs every
-- settlement.
local rareNames = { EACH(rareCounters, 'NAME') }
local rareForm = FORM(rareCounters)
local noRare = struct.pack(rareForm, EACH(rareCounters, 0))

-- Parses the amount of a counter. Only the margin may be below 0.
local function amountOf(counter, text)
  return (counter == 'marginNanos' and integer or whole)(text)
end

-- Returns the counts if a rare one is not 0, else nil.
local function rareOf(counts)
  for n = 1, #rareNames do
    if (counts[rareNames[n]] or 0) ~= 0 then
      return counts
    end
  end
  return nil
end

-- Adds to the end of a row. `more` has counts by name, or is nil.
local function addRare(packed, more)
  if not more then
    return packed
  end
  local counts = { struct.unpack(rareForm, packed .. string.sub(noRare, #packed + 1)) }
  for n = 1, #rareNames do
    counts[n] = counts[n] + (more[rareNames[n]] or 0)
  end
  return struct.pack(rareForm, unpack(counts, 1, #rareNames))
end
