import { spawn } from 'node:child_process'
import { closeSync, existsSync, type FSWatcher, fstatSync, openSync, readSync, renameSync, watch } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { endWithParent } from '@tollgate/sandbox/child/end-with-parent.ts'
import type { Variables } from './embedded.ts'

const shownLines = 20
const shownBytes = 64 * 1024

/** A running server, in its own process or in this one. */
export interface Running {
  /** null for a server in this process. */
  readonly pid: number | null
  /** Resolves when the server has ended, with the cause if known ("with status 1"). Never rejects. */
  readonly ended: Promise<string | undefined>
  /** Sends a signal. If the signal ends the process, resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops the server, by force after a timeout. Resolves when it has ended. */
  stop(): Promise<void>
}

export interface ProgramOptions {
  /** The script to run with this process's Node. */
  readonly script: string
  readonly cwd: string
  readonly env: Variables
  readonly log: LogFile
  /** The time to stop before SIGKILL. */
  readonly stopTimeoutMs: number
}

const survivable: ReadonlySet<NodeJS.Signals> = new Set(['SIGSTOP', 'SIGCONT', 'SIGHUP'])

/** Whether the signal ends a process. */
export function endsProcess(signal: NodeJS.Signals): boolean {
  return !survivable.has(signal)
}

/**
 * Starts a Node program in its own session. Ctrl-C then reaches only this process, which stops its programs in order.
 * If this process dies first, the program gets SIGTERM.
 */
export function startProgram({ script, cwd, env, log, stopTimeoutMs }: ProgramOptions): Running {
  const output = log.openForProgram()
  const child = spawn(process.execPath, [script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', output, output]
  })
  closeSync(output)
  const stopWatching = child.pid === undefined ? () => undefined : endWithParent(child.pid, 'TERM', null)
  let isRunning = child.pid !== undefined
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      isRunning = false
      stopWatching()
      resolve(how)
    }
    child.once('exit', (code, signal) => end(signal === null ? `with status ${code}` : `by ${signal}`))
    child.once('error', (error) => end(`because it could not start: ${error.message}`))
  })
  return {
    pid: child.pid ?? null,
    ended,
    async kill(signal) {
      child.kill(signal)
      if (endsProcess(signal)) await ended
    },
    async stop() {
      if (!isRunning) return
      child.kill('SIGTERM')
      // A suspended process does not see SIGTERM until it continues.
      child.kill('SIGCONT')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await ended
      clearTimeout(timer)
    }
  }
}

/**
 * The log file of a program.
 *
 * Programs write to the file directly. A pipe to this process would block them while this process is suspended, and
 * break when it is killed.
 */
export interface LogFile {
  readonly path: string
  /**
   * Returns a descriptor that appends to the file; the caller closes it. `tail` shows only lines written from now on.
   */
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
