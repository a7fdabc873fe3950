-- The field of a shard's marker with the version up to which every change is here, in the form that data have now: a marker
-- of another form says nothing.
local versionField = 'version:2'
