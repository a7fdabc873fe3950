/** Parses the data of an event. @returns undefined if they are not JSON */
export function dataIn(event: Buffer): unknown {
  try {
    return JSON.parse(dataOf(event))
  } catch {
    return undefined
  }
}

/** Joins the `data` lines of an event, without the space after the colon. */
export function dataOf(event: Buffer): string {
  const lines = event.toString().split(/\r\n|\n|\r/)
  const data = lines.filter((line) => line.startsWith('data:'))
  return data.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n')
}

/**
 * The bytes of {@link dataOf}. In nearly all events they are the last line, so they are not copied.
 *
 * @param text the event, one character per byte
 */
export function dataBytes(event: Buffer, text: string): Buffer {
  const before = text.startsWith(field) ? -1 : text.indexOf(`\n${field}`)
  const from = before + 1 + field.length
  const end = text.length - 2
  const isLastLine = text.endsWith('\n\n') && text.indexOf('\n', from) === end && !text.includes('\r')
  if (!isLastLine || !text.startsWith(field, before + 1)) return Buffer.from(dataOf(event))
  return event.subarray(text[from] === ' ' ? from + 1 : from, end)
}

const field = 'data:'
