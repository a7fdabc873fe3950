-- The names of what belongs to an account and its shard, all in one slot of a Redis Cluster, are made from that of its hash,
-- `acct:{aNN}:<account>`: '{aNN}', and the account's id. A name that comes from outside costs more than one that is put
-- together here.
local function shardOf(name)
  return string.sub(name, 6, 10)
end
local function accountOf(name)
  return string.sub(name, 12)
end
