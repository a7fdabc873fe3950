-- A budget with a window, besides the monthly budgets of the account and of the key: a field `b<window>:<id>` of the account's
-- hash. `<window>` is d (day), w (week, from Monday), m (month) or l (lifetime), in UTC.
-- Its parts: number of the window; settled and reserved in it, nanodollars; how often control corrected them since the window
-- began, see spend/correct-budgets.lua. Amounts of an earlier window than the present one count as 0.
--
-- Limits of counts have the same parts in fields of other names: `t…` counts tokens, `q…` requests, `o…` requests that run.
-- `<window>` is also i (minute) there. They go with the clock of Redis, also after it was set back, and while it and the month of
-- the spend differ: losing a count of a minute costs nobody money. A request whose time of admission is of another window then
-- stays counted with its maximum until the window ends.
-- Needs keyspace/month.lua.
local budgetForm = FORM(budget)
local noBudget = struct.pack(budgetForm, EACH(budget, 0))

local day, week, calendarMonth, ofMinute = string.byte('dwmi', 1, 4)
local ofNanos, ofTokens, ofRequests = string.byte('btq', 1, 3)

-- The number of a budget's window at a time (s since the epoch). Later windows have larger numbers.
local function windowOf(field, seconds)
  local kind = string.byte(field, 2)
  if kind == day then
    return (seconds - seconds % 86400) / 86400
  elseif kind == week then
    -- The epoch began on a Thursday.
    local fromMonday = seconds + 3 * 86400
    return (fromMonday - fromMonday % 604800) / 604800
  elseif kind == calendarMonth then
    return monthOf(seconds)
  elseif kind == ofMinute then
    return (seconds - seconds % 60) / 60
  end
  return 1
end

-- When a window begins, s since the epoch.
local function beginningOfWindow(field, window)
  local kind = string.byte(field, 2)
  if kind == day then
    return window * 86400
  elseif kind == week then
    return window * 604800 - 3 * 86400
  elseif kind == calendarMonth then
    return beginningOf(window)
  elseif kind == ofMinute then
    return window * 60
  end
  return 0
end
