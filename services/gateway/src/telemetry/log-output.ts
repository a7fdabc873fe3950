import pino from 'pino'

const bufferBytes = 65_536
const gatherMs = 100
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const bytesPerCharacter = 3
/** Maximum bytes kept while nothing reads the log. Further lines are lost. */
const maxWaitingBytes = 8 * 1024 * 1024

/** Where a process writes its log. */
export interface LogOutput {
  write(line: string): void
  /** Writes the gathered lines at the end of the process. It does not wait for a reader that has stopped. */
  end(): void
}

/**
 * Writes lines to the standard output, in batches: a write per line would cost more than the line.
 *
 * @param format changes each line; null: written as they are
 */
export function createLogOutput(format: ((line: string) => string) | null = null): LogOutput {
  let gathered = Buffer.allocUnsafe(bufferBytes)
  let used = 0
  let timer: NodeJS.Timeout | undefined
  let triesLeft = Number.POSITIVE_INFINITY
  const output = pino.destination({
    sync: false,
    contentMode: 'buffer',
    maxLength: maxWaitingBytes,
    retryEAGAIN: () => triesLeft-- > 0
  })

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (used === 0) return
    // The write may still read these bytes, so the next lines get a new buffer.
    output.write(gathered.subarray(0, used) as never)
    gathered = Buffer.allocUnsafe(bufferBytes)
    used = 0
  }

  return {
    write(given) {
      const line = format === null ? given : format(given)
      const maxBytes = line.length * bytesPerCharacter
      if (maxBytes > bufferBytes - used) flush()
      if (maxBytes > bufferBytes) {
        output.write(Buffer.from(line) as never)
        return
      }
      used += gathered.write(line, used)
      timer ??= setTimeout(flush, gatherMs)
    },
    end() {
      flush()
      triesLeft = 10
      output.flushSync()
    }
  }
}
