-- The calendar month (UTC) of a time in seconds since the epoch, as the number yyyymm.
-- After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. It subtracts remainders before it
-- divides, which costs a third of rounding down afterwards. Most calls of a script ask about the same day.
local latestDay, latestMonth
local function monthOf(seconds)
  local day = (seconds - seconds % 86400) / 86400 + 719468
  if day == latestDay then
    return latestMonth
  end
  local dayOfEra = day % 146097
  local era = (day - dayOfEra) / 146097
  local days = dayOfEra - (dayOfEra - dayOfEra % 1460) / 1460 + (dayOfEra - dayOfEra % 36524) / 36524
    - (dayOfEra - dayOfEra % 146096) / 146096
  local yearOfEra = (days - days % 365) / 365
  local leapDays = (yearOfEra - yearOfEra % 4) / 4 - (yearOfEra - yearOfEra % 100) / 100
  local fromMarch = 5 * (dayOfEra - 365 * yearOfEra - leapDays) + 2
  fromMarch = (fromMarch - fromMarch % 153) / 153
  local month = fromMarch < 10 and fromMarch + 3 or fromMarch - 9
  latestDay, latestMonth = day, (yearOfEra + era * 400 + (month <= 2 and 1 or 0)) * 100 + month
  return latestMonth
end

-- When a month (yyyymm) begins, seconds since the epoch: days_from_civil of the same source, for the first of a month.
local function beginningOf(month)
  local number = month % 100
  local year = (month - number) / 100 - (number <= 2 and 1 or 0)
  local era = (year - year % 400) / 400
  local yearOfEra, fromMarch = year % 400, (number + 9) % 12
  local dayOfYear = (153 * fromMarch + 2 - (153 * fromMarch + 2) % 5) / 5
  local leapDays = (yearOfEra - yearOfEra % 4) / 4 - (yearOfEra - yearOfEra % 100) / 100
  return (era * 146097 + yearOfEra * 365 + leapDays + dayOfYear - 719468) * 86400
end

-- The second of a month that is nearest to a time.
local function within(month, seconds)
  local first = beginningOf(month)
  local nextMonth = month % 100 == 12 and month + 89 or month + 1
  return seconds < first and first or math.min(seconds, beginningOf(nextMonth) - 1)
end
