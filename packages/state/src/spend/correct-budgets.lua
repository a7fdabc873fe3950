#!lua flags=allow-oom
-- Corrects budgets with a window of one account by what control found after read-budgets.lua. Requests that were settled or
-- admitted since are in both, so it adds differences. It skips a budget whose window has ended, or that another control has
-- corrected since.
--
-- KEYS[1]  hash of the account
-- ARGV, five for each budget: its field; its window and how often it was corrected, as they were read; nanodollars to add to
-- what is settled, and to what is reserved
-- Returns for each budget 1, or 0 if it was skipped.

--include keyspace/month.lua
--include layout/budget.lua
--include wire/numbers.lua

local outcomes = {}
for n = 1, #ARGV, 5 do
  local field, seenWindow, seenCorrections = ARGV[n], whole(ARGV[n + 1]), whole(ARGV[n + 2])
  local moreSettled, moreReserved = integer(ARGV[n + 3]), integer(ARGV[n + 4])
  local EACH(budget, NAME) = struct.unpack(budgetForm, redis.call('HGET', KEYS[1], field) or noBudget)
  local isSame = window == seenWindow and corrections == seenCorrections
  if isSame and not (moreSettled == 0 and moreReserved == 0) then
    settled, reserved = math.max(0, settled + moreSettled), math.max(0, reserved + moreReserved)
    corrections = corrections + 1
    redis.call('HSET', KEYS[1], field, struct.pack(budgetForm, EACH(budget, NAME)))
  end
  outcomes[#outcomes + 1] = isSame and 1 or 0
end
return outcomes
