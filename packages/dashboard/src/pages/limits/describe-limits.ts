import { formatDuration } from '../../format/duration.ts'

/**
 * Says when the whole burst of a rate is available again.
 *
 * @param fullInMs null while it is not known
 */
export function describeFull(fullInMs: number | null, burst: string): string {
  if (fullInMs === null)
    return `Up to ${burst} at once, because the limit refills steadily. What is left is not known right now.`
  if (fullInMs === 0) return `Up to ${burst} at once, because the limit refills steadily. All of it is available.`
  return `Up to ${burst} at once, because the limit refills steadily. All of it is available again in ${formatDuration(Math.max(1, Math.ceil(fullInMs / 1000)))}.`
}
