/** Shorter than the idle timeout of common servers (uvicorn: 5 s). */
const defaultMs = 4000
/** A request may be on its way when the upstream closes the connection. */
const marginMs = 1500
const maxMs = 600_000

/**
 * How long an idle connection may be reused, milliseconds; 0 or less if not at all.
 *
 * @param field the `Keep-Alive` field of its last answer, such as `timeout=5, max=100`
 */
export function keptOpenMs(field: string | undefined): number {
  if (field === undefined) return defaultMs
  const seconds = /(?:^|[\s,;])timeout="?(\d{1,9})/i.exec(field)?.[1]
  return seconds === undefined ? defaultMs : Math.min(Number(seconds) * 1000 - marginMs, maxMs)
}
