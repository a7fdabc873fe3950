-- Writes the receipts that scripts make themselves, in the form of receipt-text.ts.

-- The receipt of a request that was reaped, or of one that was cancelled after that. `kind` is its number in `receiptKinds`. It has
-- what was reserved: nanodollars, tokens of the prompt and all tokens, and granted output (nil if unknown); and what is charged of it.
local function reapedReceipt(kind, id, account, key, at, model, nanos, tokens, granted, charged, prompt, completion)
  local text = cjson.encode
  return string.format('[%d,%s,%s,%s,%.0f,1,"",%s,null,0,null,0,null,null,%d,0,%.0f,%.0f,0,%.0f,0,%.0f,%.0f,%s]', kind,
    text(id), text(account), text(key), at, text(model), charged > 0 and 1 or 0, charged, prompt, completion, nanos, tokens,
    granted and string.format('%.0f', granted) or 'null')
end
local reapedKind, cancelledKind = 1, 3
