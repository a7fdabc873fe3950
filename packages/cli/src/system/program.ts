import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { endWithParent } from '@tollgate/sandbox/child/end-with-parent.ts'
import type { Variables } from './embedded.ts'
import type { LogFile } from './log-file.ts'

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
 * Starts a Node program in its own session. Ctrl-C then reaches only this process, which stops its programs in order. If
 * this process dies first, the program gets SIGTERM.
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
