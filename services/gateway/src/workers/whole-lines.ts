import type { Readable } from 'node:stream'

/** A longer line is passed on in parts. */
const maxLineCharacters = 1024 * 1024

/**
 * Passes on the lines of a process, whole ones only. Several processes that write to one pipe would mix long lines.
 *
 * @param write gets one or more lines, each with its line break
 */
export function passWholeLines(output: Readable, write: (lines: string) => void): void {
  let rest = ''
  output.setEncoding('utf8')
  output.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      write(rest + text.slice(0, end))
      rest = text.slice(end)
    } else rest += text
    if (rest.length <= maxLineCharacters) return
    write(rest)
    rest = ''
  })
  output.on('end', () => {
    if (rest !== '') write(`${rest}\n`)
  })
}
