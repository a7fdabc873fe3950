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
