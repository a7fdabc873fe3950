-- Reads the noted uses of keys. ARGV has their ids and times in turn.
local keys = {}
for n = 1, #ARGV, 2 do
  keys[#keys + 1] = ARGV[n]
end
local noted = redis.call('HMGET', KEYS[1], unpack(keys))
