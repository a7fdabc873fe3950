import pino from 'pino'

const bufferBytes = 65_536
const gatherMs = 100
/** A character has at most so many bytes in UTF-8. */
const bytesPerCharacter = 3
/** What is kept for a reader of the log that has stopped to read; lines beyond it are lost. */
const mostWaiting = 8 * 1024 * 1024

/** Where a process writes its log. */
export type LogOutput = {
  write(line: string): void
  /** Writes what is gathered, at the end of the process. Whoever does not read it does not hold the process. */
  end(): void
}

/**
 * The standard output, for many lines a second: they are gathered for a moment, since a write for each would cost more
 * than the line.
 */
export function createLogOutput(): LogOutput {
  let gathered = Buffer.allocUnsafe(bufferBytes)
  let used = 0
  let timer: NodeJS.Timeout | undefined
  let patience = Number.POSITIVE_INFINITY
  const output = pino.destination({
    sync: false,
    contentMode: 'buffer',
    maxLength: mostWaiting,
    retryEAGAIN: () => patience-- > 0
  })

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (used === 0) return
    // What is being written must stay as it is.
    output.write(gathered.subarray(0, used) as never)
    gathered = Buffer.allocUnsafe(bufferBytes)
    used = 0
  }

  return {
    write(line) {
      const most = line.length * bytesPerCharacter
      if (most > bufferBytes - used) flush()
      if (most > bufferBytes) {
        output.write(Buffer.from(line) as never)
        return
      }
      used += gathered.write(line, used)
      timer ??= setTimeout(flush, gatherMs)
    },
    end() {
      flush()
      patience = 10
      output.flushSync()
    }
  }
}
