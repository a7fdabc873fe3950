import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { hourOf } from '@tollgate/state/served/served.ts'
import { firstTokenBounds, noneServed, perTokenBounds, type ServedRow } from '@tollgate/state/served/served-row.ts'

/** The hours that the status shows besides the present one. */
const shownHours = 23

/**
 * What gateways would have measured of past requests, for the status: by hour and model.
 *
 * @param now milliseconds since the epoch
 */
export function pastServed(receipts: readonly Receipt[], now: number): Map<number, Map<string, ServedRow>> {
  const hours = new Map<number, Map<string, ServedRow>>()
  for (const receipt of receipts) {
    const hour = hourOf(receipt.at * 1000)
    if (hour < hourOf(now) - shownHours || receipt.model === null) continue
    const rows = hours.get(hour) ?? new Map<string, ServedRow>()
    hours.set(hour, rows)
    const row = rows.get(receipt.model) ?? noneServed()
    rows.set(receipt.model, row)
    count(row, receipt)
  }
  return hours
}

function count(row: ServedRow, { status, isStream, firstByteMs, durationMs, completionTokens }: Receipt): void {
  if (status !== 200) {
    row.failures += 1
    return
  }
  row.successes += 1
  if (!isStream || firstByteMs === null || durationMs === null || completionTokens < 2) return
  row.firstToken[bucketOf(firstTokenBounds, firstByteMs / 1000)]! += 1
  row.perToken[bucketOf(perTokenBounds, (durationMs - firstByteMs) / 1000 / (completionTokens - 1))]! += 1
}

/** @param bounds inclusive upper bounds; one more bucket is above all of them */
const bucketOf = (bounds: readonly number[], value: number): number => {
  const at = bounds.findIndex((bound) => value <= bound)
  return at < 0 ? bounds.length : at
}
