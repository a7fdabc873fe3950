import { type Clock, type Finding, type Result, resultsOf } from './results.ts'

const { ok, error } = resultsOf('clocks')

/** As in control's own watch. A `Date` header is exact to a second, and an answer may take seconds. */
const maxSkewMs = 60_000

/** Compares clocks. The median of all, this machine's included, counts as right. */
export function judgeClocks(others: readonly Clock[]): Result[] {
  if (others.length === 0) return []
  const all: Clock[] = [{ name: 'this machine', skewMs: 0 }, ...others]
  const right = medianOf(all)
  const wrong = all.filter(({ skewMs }) => Math.abs(skewMs - right) > maxSkewMs)
  if (wrong.length === 0) return [ok(`This machine agrees with ${others.map(({ name }) => name).join(', ')}.`)]
  return wrong.map(({ name, skewMs }) => judgeWrong(name, skewMs - right))
}

/** Of an even number, the lower middle: of two clocks, either may be wrong. */
function medianOf(clocks: readonly Clock[]): number {
  const sorted = clocks.map(({ skewMs }) => skewMs).toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}

function judgeWrong(name: string, skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  return error('clock_wrong', {
    what: `The clock of ${name} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the others.`,
    why: 'Keys expire, months end and sessions last by these clocks. Webhooks are refused when the clocks differ by 5 minutes.',
    fix: 'Correct it with NTP: timedatectl set-ntp true'
  })
}
