-- The field of a shard's marker that control writes when it has verified the shard. Scripts ignore other versions of it.
-- Its parts: the version up to which Redis has every change; the open month (yyyymm; 0 without one); the id of
-- the verified run; and tags of runs whose usage only the ledger has (16 characters each).
local verifiedField, verifiedForm = 'vouched:4', FORM(marker)

-- Version, run, month and lost runs of a marker; nil without one.
local function readVerified(packed)
  if packed then
    local EACH(marker, NAME) = struct.unpack(verifiedForm, packed)
    return version, run, month, lost
  end
end
