/** What the request lines of both services share. */

const maxAddressLength = 64
// JSON does not escape these, but U+0085 ends a line for some readers, and U+009B begins commands of a terminal.
const unescapedControls = /[\u007f-\u009f]/g

/** A client's address in a line, cut and without such control characters. A trusted proxy may send any text. */
export const addressForLog = (address: string): string =>
  address.slice(0, maxAddressLength).replace(unescapedControls, '\ufffd')

/** Rounds to a tenth of a millisecond. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10

/** `String(roundMs(ms))`, for times of 0 or more. V8 takes three times as long to write a fraction. */
export function roundedMsText(ms: number): string {
  const tenths = Math.round(ms * 10)
  const digit = tenths % 10
  return digit === 0 ? `${tenths / 10}` : `${(tenths - digit) / 10}.${digit}`
}

/** Turns a line of JSON into text for people, with a line break at the end. Other lines stay as they are. */
export type PrettyLine = (line: string) => string

/**
 * Loads pino-pretty: only for `LOG_FORMAT=pretty`.
 *
 * @param colors whether the reader shows colours
 */
export async function loadPrettyLines(colors: boolean): Promise<PrettyLine> {
  const { default: pinoPretty } = await import('pino-pretty')
  const pretty = pinoPretty.prettyFactory({
    colorize: colors,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss.l'
  })
  return (line) => pretty(line.trimEnd()) ?? ''
}

/** Decides whether a finished request gets a line in the log. @param code error code; null for success */
export type LogsRequest = (status: number, code: string | null) => boolean

/**
 * Logs every failure, and a share of the successful requests.
 *
 * @param share `LOG_REQUESTS`, from 0 to 1
 * @param random draws from [0, 1)
 */
export function sampleRequests(share: number, random: () => number = Math.random): LogsRequest {
  if (share >= 1) return () => true
  return (status, code) => status >= 400 || code !== null || random() < share
}
