-- The names of what belongs to an account and its shard, all in one slot of a Redis Cluster, are made from the name of its
-- record, `acct:{aNN}:<account>`: ':{aNN}:<account>', '{aNN}' and the account's id. A name that comes from outside costs more
-- than one that is put together here.
local function tailOf(record)
  return string.sub(record, 5)
end
local function shardOf(record)
  return string.sub(record, 6, 10)
end
local function accountOf(tail)
  return string.sub(tail, 8)
end
