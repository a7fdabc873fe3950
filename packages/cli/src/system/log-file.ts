import { closeSync, existsSync, type FSWatcher, fstatSync, openSync, readSync, renameSync, watch } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

const shownLines = 20
const shownBytes = 64 * 1024

/**
 * Where a program writes what it has to say.
 *
 * Programs write into the file themselves: a pipe to this process would hold a busy program up whenever this process is
 * suspended, and break when it is killed.
 */
export interface LogFile {
  readonly path: string
  /** A descriptor that appends to the file; the caller closes it. What is written from now on is what `tail` shows. */
  openForProgram(): number
  /** The last lines since the last `openForProgram`. */
  tail(): string
  /** Calls back with each line that is added from now on, until it is called off. */
  follow(onLine: (line: string) => void): () => void
}

/** A new log file; one of an earlier start is kept as `<path>.previous`. */
export function createLogFile(path: string): LogFile {
  if (existsSync(path)) renameSync(path, `${path}.previous`)
  closeSync(openSync(path, 'a', 0o600))
  let start = 0
  return {
    path,
    openForProgram() {
      const descriptor = openSync(path, 'a', 0o600)
      start = fstatSync(descriptor).size
      return descriptor
    },
    tail() {
      const { size, descriptor } = openForReading(path)
      const from = Math.max(start, size - shownBytes)
      const text = read(descriptor, from, size - from)
        .toString('utf8')
        .trimEnd()
      closeSync(descriptor)
      return text.split('\n').slice(-shownLines).join('\n')
    },
    follow: (onLine) => follow(path, onLine)
  }
}

function follow(path: string, onLine: (line: string) => void): () => void {
  const decoder = new StringDecoder('utf8')
  let { size: position, descriptor } = openForReading(path)
  let rest = ''
  const readOn = () => {
    const added = read(descriptor, position, fstatSync(descriptor).size - position)
    position += added.length
    const lines = (rest + decoder.write(added)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
  const watcher: FSWatcher = watch(path, readOn)
  return () => {
    watcher.close()
    readOn()
    closeSync(descriptor)
  }
}

function openForReading(path: string): { descriptor: number; size: number } {
  const descriptor = openSync(path, 'r')
  return { descriptor, size: fstatSync(descriptor).size }
}

function read(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position))
}
