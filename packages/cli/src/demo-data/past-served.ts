import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { hourOf } from '@tollgate/state/served/served.ts'
import { firstTokenBounds, noneServed, perTokenBounds, type ServedRow } from '@tollgate/state/served/served-row.ts'
import type { PastRequest } from './past-usage.ts'

/** The hours whose speeds the status shows, besides the present one. */
const shownHours = 23

/**
 * What gateways would have measured of past requests, for the status: by hour and model. Only hours of the last day have
 * speeds.
 *
 * @param receipts of the requests of the last day, and maybe of earlier ones
 * @param now milliseconds since the epoch
 */
export function pastServed(
  requests: readonly PastRequest[],
  receipts: readonly Receipt[],
  now: number
): Map<number, Map<string, ServedRow>> {
  const hours = new Map<number, Map<string, ServedRow>>()
  function rowOf(at: number, model: string): ServedRow {
    const hour = hourOf(at * 1000)
    const rows = hours.get(hour) ?? new Map<string, ServedRow>()
    hours.set(hour, rows)
    const row = rows.get(model) ?? noneServed()
    rows.set(model, row)
    return row
  }
  for (const { at, model, failed } of requests) rowOf(at, model)[failed ? 'failures' : 'successes'] += 1
  const from = hourOf(now) - shownHours
  for (const receipt of receipts) {
    if (receipt.model !== null && hourOf(receipt.at * 1000) >= from) addSpeed(rowOf(receipt.at, receipt.model), receipt)
  }
  return hours
}

function addSpeed(row: ServedRow, { status, isStream, firstByteMs, durationMs, completionTokens }: Receipt): void {
  if (status !== 200) return
  if (!isStream || firstByteMs === null || durationMs === null || completionTokens < 2) return
  row.firstToken[bucketOf(firstTokenBounds, firstByteMs / 1000)]! += 1
  row.perToken[bucketOf(perTokenBounds, (durationMs - firstByteMs) / 1000 / (completionTokens - 1))]! += 1
}

/** @param bounds inclusive upper bounds; one more bucket is above all of them */
const bucketOf = (bounds: readonly number[], value: number): number => {
  const at = bounds.findIndex((bound) => value <= bound)
  return at < 0 ? bounds.length : at
}
