#!lua
-- Claims a request that a client may repeat, or finds out what became of it. The holder of a claim calls this again to keep it.
--
-- KEYS[1]  claim: see keyspace/names.ts
-- ARGV[1]  run id, not used    ARGV[2]  fingerprint of the request, 43 bytes    ARGV[3]  token of the caller, 36 bytes
-- ARGV[4]  how long others wait for the holder after this call, ms    ARGV[5]  how long the claim is remembered, ms
--
-- The value of a claim is a state, the fingerprint, and more: 'r' with the token of the holder and the time until which others wait
-- (ms since the epoch), 'k' with the kept answer, or 'l' if the answer is not kept.
--
-- Returns
--   'claimed'   the caller holds the claim
--   'running'   another one holds it
--   'other'     another request used this name
--   'lost'      the request was answered, but the answer is not kept; or its holder is silent, and nobody knows whether it was answered
--   { answer }  the kept answer

local name, fingerprint = KEYS[1], ARGV[2]
local own = 'r' .. fingerprint .. ARGV[3]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
-- An answer may be long, so only the beginning is read here: no more than a claim has.
local value = redis.call('GETRANGE', name, 0, #own + 15)
local head = string.sub(value, 1, #own)
if head == '' or head == own then
  redis.call('SET', name, string.format('%s%.0f', own, now + tonumber(ARGV[4])), 'PX', ARGV[5])
  return 'claimed'
end
if string.sub(head, 2, #fingerprint + 1) ~= fingerprint then
  return 'other'
end
local state = string.sub(head, 1, 1)
if state == 'k' then
  return { redis.call('GETRANGE', name, #fingerprint + 1, -1) }
end
if state == 'l' then
  return 'lost'
end
-- The release before wrote no time: its claims end by themselves.
local waitsUntil = tonumber(string.sub(value, #own + 1))
if state == 'r' and waitsUntil and waitsUntil <= now then
  return 'lost'
end
return 'running'
