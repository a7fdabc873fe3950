#!lua flags=allow-oom
-- Ends holds of an account that are past their deadline: the gateway that should have settled them has died. They are
-- charged in full and marked as estimated; should they be settled after all, the difference is corrected then. A hold
-- that another run made is only released: it came back with an older state of Redis, and may have been settled in the
-- state that was lost. It works at maxmemory.
--
-- KEYS[1]  spend    KEYS[2]  limiters    KEYS[3]  holds    KEYS[4]  beginning of the names of what reaped requests leave
-- KEYS[5]  beginning of the names of the account's usage
-- KEYS[6]  usage of the shard that is not copied           KEYS[7]  usage of the shard, by when it is final
-- KEYS[8]  deadlines of the shard
-- ARGV[1]  run id of the Redis process at the other end of this connection
-- ARGV[2]  account id    ARGV[3]  how many holds at most
-- Returns { how many were charged, how many were only released }.

--include parts/month.lua
--include parts/hold.lua
--include parts/gone.lua
--include parts/numbers.lua
--include parts/spend.lua
--include parts/tag.lua
--include parts/usage.lua

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local spend = openSpend(KEYS[1])
local usage = openUsage(KEYS[5], KEYS[6], KEYS[7], tagOf(ARGV[1]), tonumber(time[1]))
local account, most = ARGV[2], whole(ARGV[3])
local charged, released, first = 0, 0, nil
local holds = redis.call('HGETALL', KEYS[3])
for n = 1, #holds, 2 do
  local id = holds[n]
  local deadline, at, granted, nanos, prompt, tokens, _, tag, key, model = readHold(holds[n + 1])
  if deadline > now or charged + released >= most then
    if first == nil or deadline < first then
      first = deadline
    end
  else
    redis.call('HDEL', KEYS[3], id)
    if tag == tagOf(ARGV[1]) then
      charged = charged + 1
      spend.change(monthOf(at), key, nanos, -nanos)
      usage.add(at, key, model, { n = 1, p = prompt, o = tokens - prompt, u = nanos, x = 1, y = nanos })
      redis.call('SET', KEYS[4] .. id, string.format('%.0f|%.0f|%.0f|%.0f|%s|%s', nanos, prompt, tokens - prompt, at, key,
        model), 'PX', goneMs)
    else
      released = released + 1
      spend.change(monthOf(at), key, 0, -nanos)
    end
  end
end
spend.write()
usage.write()
if first == nil then
  redis.call('HDEL', KEYS[2], 'd')
  redis.call('ZREM', KEYS[8], account)
else
  local text = string.format('%.0f', first)
  redis.call('HSET', KEYS[2], 'd', text)
  redis.call('ZADD', KEYS[8], text, account)
end
return { charged, released }
