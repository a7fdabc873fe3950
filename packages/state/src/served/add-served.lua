#!lua
-- Adds a report of what a gateway measured to the rows of an hour. The gateway repeats a report until it is acknowledged, so
-- the hash also has the number of each process's last report: a repeated one changes nothing.
--
-- KEYS[1]  hash of the hour
-- ARGV[1]  id of the reporting process    ARGV[2]  number of the report, above those of earlier ones
-- ARGV[3]  s until the hash is deleted
-- ARGV, two for each model, at most some dozens: its name, its row: doubles, lowest byte first
-- Returns 1; 0 for a repeated report.

local reporter = 'r:' .. ARGV[1]
if (tonumber(redis.call('HGET', KEYS[1], reporter)) or 0) >= tonumber(ARGV[2]) then
  return 0
end
local fields = {}
for n = 4, #ARGV, 2 do
  fields[#fields + 1] = 'm:' .. ARGV[n]
end
local rows = #fields > 0 and redis.call('HMGET', KEYS[1], unpack(fields)) or {}
local written = { reporter, ARGV[2] }
for n, field in ipairs(fields) do
  local row, more = rows[n], ARGV[2 * n + 3]
  if row and #row == #more then
    local count = #row / 8
    local form = '<' .. string.rep('d', count)
    local sums, counts = { struct.unpack(form, row) }, { struct.unpack(form, more) }
    for at = 1, count do
      sums[at] = sums[at] + counts[at]
    end
    more = struct.pack(form, unpack(sums, 1, count))
  end
  written[#written + 1] = field
  written[#written + 1] = more
end
redis.call('HSET', KEYS[1], unpack(written))
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
