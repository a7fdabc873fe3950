#!lua flags=allow-oom
-- Settles requests of one account: each hold is released, what was used is added to spend and usage, and what was
-- reserved of the token rate and not used is given back. It works at maxmemory. Nothing is written before all is read.
--
-- A hold may be missing. If it was reaped, the difference to what was charged then is corrected. Else on the first
-- attempt Redis has lost it, and everything is applied; and on a later one an earlier attempt has applied it.
--
-- KEYS[1]  spend    KEYS[2]  limiters    KEYS[3]  holds    KEYS[4]  beginning of the names of what reaped requests leave
-- KEYS[5]  beginning of the names of the account's usage
-- KEYS[6]  usage of the shard that is not copied           KEYS[7]  usage of the shard, by when it is final
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV, 14 for each request:
--   id; 0 on the first attempt, else 1; when it was admitted, s; key id; model;
--   nanodollars, tokens and tokens a minute of the hold;
--   its cost, nanodollars; prompt, cached and completion tokens; 1 if it failed; 1 if this is estimated
-- Returns 1.

--include parts/month.lua
--include parts/spend.lua
--include parts/tag.lua
--include parts/usage.lua

local each = 14
local items = {}
for first = 2, #ARGV, each do
  local item = { id = ARGV[first], key = ARGV[first + 3], model = ARGV[first + 4] }
  for n = 0, each - 1 do
    if n ~= 0 and n ~= 3 and n ~= 4 then
      item[n] = tonumber(ARGV[first + n])
      if item[n] == nil then
        return redis.error_reply('ERR settle: not a number: ' .. tostring(ARGV[first + n]))
      end
    end
  end
  items[#items + 1] = item
end

local spend = openSpend(KEYS[1])
local usage = openUsage(KEYS[5], KEYS[6], KEYS[7], tagOf(ARGV[1]), tonumber(redis.call('TIME')[1]))
local refund = 0
for _, item in ipairs(items) do
  local isRetry, at, nanos, tokens, perMinute = item[1] == 1, item[2], item[5], item[6], item[7]
  local cost, prompt, cached, completion, failed, estimated = item[8], item[9], item[10], item[11], item[12], item[13]
  local counters = {
    n = 1, e = failed, p = prompt, c = cached, o = completion, u = cost, x = estimated, y = estimated * cost
  }
  if redis.call('HDEL', KEYS[3], item.id) == 1 then
    spend.change(monthOf(at), item.key, cost, -nanos)
    refund = refund + (tokens - prompt - completion) * 60000000 / perMinute
  else
    local gone = redis.call('GET', KEYS[4] .. item.id)
    local chargedNanos, chargedPrompt, chargedCompletion = string.match(gone or '', '^(%d+)|(%d+)|(%d+)$')
    if chargedNanos then
      redis.call('DEL', KEYS[4] .. item.id)
      spend.change(monthOf(at), item.key, cost - chargedNanos, 0)
      counters.n, counters.p, counters.o = 0, prompt - chargedPrompt, completion - chargedCompletion
      counters.u, counters.x, counters.y = cost - chargedNanos, estimated - 1, estimated * cost - chargedNanos
    elseif isRetry then
      counters = nil
    else
      spend.change(monthOf(at), item.key, cost, 0)
    end
  end
  if counters then
    usage.add(at, item.key, item.model, counters)
  end
end
spend.write()
usage.write()
if refund ~= 0 then
  local arrival = redis.call('HGET', KEYS[2], 't')
  if arrival then
    redis.call('HSET', KEYS[2], 't', string.format('%.0f', math.max(0, tonumber(arrival) - refund)))
  end
end
return 1
