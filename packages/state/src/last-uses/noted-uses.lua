-- The uses that are noted of keys, of which ARGV has the ids and times by turns.
local keys = {}
for n = 1, #ARGV, 2 do
  keys[#keys + 1] = ARGV[n]
end
local noted = redis.call('HMGET', KEYS[1], unpack(keys))
