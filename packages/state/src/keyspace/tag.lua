-- A short name of a run: the beginning of the process's id and the end of its replication id.
local function tagOf(run)
  return string.sub(run, 1, 8) .. string.sub(run, -8)
end
