-- Scripts make all names of an account and its shard from the name of its hash, `acct:{aNN}:<account>`: these functions
-- return its '{aNN}' and its account id. All these names are in one slot of a Redis Cluster. Making a name here costs less
-- than passing it as an argument.
local function shardOf(name)
  return string.sub(name, 6, 10)
end
local function accountOf(name)
  return string.sub(name, 12)
end
