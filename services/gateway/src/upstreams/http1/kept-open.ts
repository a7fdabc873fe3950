/** Shorter than what servers keep an idle connection for (uvicorn: 5 s), unless the upstream says otherwise. */
const usualMs = 4000
/** An upstream that closes a connection does not know that a request is on its way. */
const marginMs = 1500
const longestMs = 600_000

/**
 * For how many milliseconds an idle connection may be used again; none, if there are not more than 0.
 *
 * @param field the `Keep-Alive` field of its last answer: `timeout=5, max=100`
 */
export function keptOpenMs(field: string | undefined): number {
  if (field === undefined) return usualMs
  const seconds = /(?:^|[\s,;])timeout="?(\d{1,9})/i.exec(field)?.[1]
  return seconds === undefined ? usualMs : Math.min(Number(seconds) * 1000 - marginMs, longestMs)
}
