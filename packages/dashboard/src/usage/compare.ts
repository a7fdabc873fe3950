import { formatChange } from '../format/ratio.ts'

/** Above this, a number of percent says nothing. */
const maxChange = 9.99

/**
 * Describes a change: `+12%`, `-3%`, `0%`. `new` if there was nothing before.
 *
 * @returns an empty text if there is nothing at all
 */
export function describeChange(now: number, before: number): string {
  if (before === 0) return now === 0 ? '' : 'new'
  const change = (now - before) / before
  return change > maxChange ? `> ${formatChange(maxChange)}` : formatChange(change)
}
