-- The field of a shard's marker that says which process holds which changes, in the form that data have now: a marker of
-- another form says nothing. Packed: the version up to which every change is here, and the run.
local vouchedField, vouchedForm = 'vouched:3', '<ds'

-- The version and the run of a marker, nil without one.
local function readVouched(packed)
  if packed then
    local version, run = struct.unpack(vouchedForm, packed)
    return version, run
  end
end
