import { type GoTrueError, validationFailed } from '../errors.ts'
import type { WireUser } from '../wire.ts'

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 }
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g
const duration = new RegExp(`^[+-]?(?:0|(?:${part.source})+)$`)

// Go stores a duration as nanoseconds in 64 bits.
const maxMs = 2 ** 63 / 1e6

/**
 * Parses `ban_duration`: a duration in Go's format ("24h", "1h30m"), or "none", which lifts the ban.
 *
 * @returns milliseconds; 0 for no ban
 * @throws GoTrueError 400 `validation_failed`
 */
export function parseBanDuration(text: string): number {
  if (text === 'none') return 0
  if (!duration.test(text)) throw invalidDuration(text)
  let total = 0
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  if (total > maxMs) throw invalidDuration(text)
  return text.startsWith('-') ? -total : total
}

/** @param durationMs 0 lifts the ban */
export function ban(user: WireUser, durationMs: number, nowMs: number): void {
  if (durationMs === 0) delete user.banned_until
  else user.banned_until = new Date(nowMs + durationMs).toISOString()
}

export function isBanned(user: WireUser, nowMs: number): boolean {
  return user.banned_until !== undefined && nowMs < Date.parse(user.banned_until)
}

function invalidDuration(text: string): GoTrueError {
  return validationFailed(`invalid format for ban duration: time: invalid duration ${JSON.stringify(text)}`)
}
