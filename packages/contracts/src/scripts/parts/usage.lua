-- Adds to cumulative counters of usage. There is one hash for each account, hour of admission and run of Redis, so that
-- control can copy absolute values, however often. After the end of the hour that follows, a hash is final: what comes
-- even later goes into one of its own.
--
-- Fields of a hash: `rev`, raised by every change; `born`, when it began (µs since the epoch), which tells it from one of
-- the same name that a flush has taken away; and for each key and model, as `<key>|<model>`, eight doubles one after the
-- other, each with its lowest byte first:
--   requests, failed ones, prompt tokens, cached ones of these, completion tokens, nanodollars, requests whose usage is
--   estimated, nanodollars of those
-- (A field for each counter costs a command for each.)

-- Notes amounts, in the order of the counters, in a list of sums: of one hour, key and model each.
local function addUsage(sums, at, key, model, requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos)
  local hour, of = (at - at % 3600) / 3600, key .. '|' .. model
  for n = 1, #sums do
    local sum = sums[n]
    if sum[1] == hour and sum[2] == of then
      sum[3], sum[4], sum[5], sum[6] = sum[3] + requests, sum[4] + failed, sum[5] + prompt, sum[6] + cached
      sum[7], sum[8], sum[9] = sum[7] + completion, sum[8] + nanos, sum[9] + estimated
      sum[10] = sum[10] + estimatedNanos
      return
    end
  end
  sums[#sums + 1] =
    { hour, of, requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos }
end

-- Writes what was noted of an account. `tail` and `shard` are as in names.lua: in `dirty` and `usages` of the shard there are
-- hash → revision since control last copied it, and the hashes in order of the hour in which they are final.
local function writeUsage(tail, shard, tag, now, sums)
  local nowHour = math.floor(now / 3600000000)
  local n = 1
  -- Sums of one hour at a time, which is mostly all of them.
  while n <= #sums do
    local hour = sums[n][1]
    local fields, of = { 'rev' }, {}
    for m = n, #sums do
      local sum = sums[m]
      if sum[1] == hour then
        fields[#fields + 1], of[#of + 1] = sum[2], sum
        -- Those that are left for later come after it.
        sums[m], sums[n] = sums[n], sum
        n = n + 1
      end
    end
    local finalIn, name = hour + 2, 'usage' .. tail .. ':' .. string.format('%d', hour) .. ':' .. tag
    if nowHour >= finalIn then
      name, finalIn = name .. '~' .. string.format('%d', nowHour), nowHour + 2
    end
    local present = redis.call('HMGET', name, unpack(fields))
    local revision = string.format('%d', (present[1] or 0) + 1)
    local written = { 'rev', revision }
    for m = 1, #of do
      local _, field, requests, failed, prompt, cached, completion, nanos, estimated, estimatedNanos = unpack(of[m])
      local before = present[m + 1]
      if before then
        local r, f, p, c, o, u, x, y = struct.unpack('<dddddddd', before)
        requests, failed, prompt, cached = requests + r, failed + f, prompt + p, cached + c
        completion, nanos, estimated, estimatedNanos = completion + o, nanos + u, estimated + x, estimatedNanos + y
      end
      written[#written + 1] = field
      written[#written + 1] = struct.pack('<dddddddd', requests, failed, prompt, cached, completion, nanos, estimated,
        estimatedNanos)
    end
    if revision == '1' then
      written[#written + 1] = 'born'
      written[#written + 1] = string.format('%d', now)
      redis.call('ZADD', 'usages:' .. shard, finalIn, name)
    end
    redis.call('HSET', name, unpack(written))
    redis.call('HSET', 'dirty:' .. shard, name, revision)
  end
end
