import { closeSync, existsSync, type FSWatcher, fstatSync, openSync, readSync, renameSync, watch } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

const shownLines = 20
const shownBytes = 64 * 1024

/**
 * The log file of a program.
 *
 * Programs write to the file directly. A pipe to this process would block them while this process is suspended, and break
 * when it is killed.
 */
export interface LogFile {
  readonly path: string
  /** Returns a descriptor that appends to the file; the caller closes it. `tail` shows only lines written from now on. */
  openForProgram(): number
  /** The last lines since the last `openForProgram`. */
  tail(): string
  /** Calls `onLine` with each new line. @returns a function that ends this */
  follow(onLine: (line: string) => void): () => void
}

/** Creates a log file. The file of the previous start is kept as `<path>.previous`. */
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
  const readNew = () => {
    const added = read(descriptor, position, fstatSync(descriptor).size - position)
    position += added.length
    const lines = (rest + decoder.write(added)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
  const watcher: FSWatcher = watch(path, readNew)
  return () => {
    watcher.close()
    readNew()
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
