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
