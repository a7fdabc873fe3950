-- The calendar month (UTC) of a time in seconds since the epoch, as the number yyyymm.
-- After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
local function monthOf(seconds)
  local day = math.floor(seconds / 86400) + 719468
  local era = math.floor(day / 146097)
  local dayOfEra = day - era * 146097
  local yearOfEra = math.floor(
    (dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524) - math.floor(dayOfEra / 146096)) / 365
  )
  local dayOfYear = dayOfEra - 365 * yearOfEra - math.floor(yearOfEra / 4) + math.floor(yearOfEra / 100)
  local fromMarch = math.floor((5 * dayOfYear + 2) / 153)
  local month = fromMarch < 10 and fromMarch + 3 or fromMarch - 9
  return (yearOfEra + era * 400 + (month <= 2 and 1 or 0)) * 100 + month
end
