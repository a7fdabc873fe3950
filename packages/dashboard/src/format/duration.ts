import { countOf } from './number.ts'

/** Formats a duration in its largest unit, rounded down: `45 seconds`, `3 minutes`, `2 hours`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return countOf(Math.floor(seconds), 'second')
  if (seconds < 3600) return countOf(Math.floor(seconds / 60), 'minute')
  return countOf(Math.floor(seconds / 3600), 'hour')
}
