-- The field of a shard's marker that control writes when it has verified the shard. A marker of another form says nothing.
-- Packed: the version up to which every change is here; the month that is open (yyyymm, 0 where none is needed); the run that
-- this holds for; and the runs of which the ledger has usage that was lost here (tags of 16 characters, one after the other).
local vouchedField, vouchedForm = 'vouched:4', FORM(marker)

-- Version, run, month and lost runs of a marker; nil without one.
local function readVouched(packed)
  if packed then
    local EACH(marker, NAME) = struct.unpack(vouchedForm, packed)
    return version, run, month, lost
  end
end
