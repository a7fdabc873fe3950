#!lua
-- Claims a request that a client may repeat, or finds out what became of it. The holder of a claim calls this again to keep it.
--
-- KEYS[1]  claim: see keyspace/names.ts
-- ARGV[1]  run id, not used    ARGV[2]  fingerprint of the request, 43 bytes    ARGV[3]  token of the caller, 36 bytes
-- ARGV[4]  how long the claim lasts, ms
--
-- The value of a claim is a state, the fingerprint, and more: 'r' with the token of the holder while the request runs, 'k' with the
-- kept answer, or 'l' if the answer is not kept.
--
-- Returns
--   'claimed'   the caller holds the claim
--   'running'   another one holds it
--   'other'     another request used this name
--   'lost'      the request was answered, but the answer is not kept
--   { answer }  the kept answer

local name, fingerprint = KEYS[1], ARGV[2]
local own = 'r' .. fingerprint .. ARGV[3]
-- An answer may be long, so only the beginning is read here.
local head = redis.call('GETRANGE', name, 0, #own - 1)
if head == '' then
  redis.call('SET', name, own, 'PX', ARGV[4])
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
if head ~= own then
  return 'running'
end
redis.call('PEXPIRE', name, ARGV[4])
return 'claimed'
