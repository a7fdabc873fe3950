import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { endWithParent } from '@tollgate/sandbox/child/end-with-parent.ts'
import type { Variables } from './embedded.ts'
import type { LogFile } from './log-file.ts'

/** A server that runs, in a process of its own or in this one. */
export interface Running {
  /** null for a server in this process. */
  readonly pid: number | null
  /** Resolves when it has ended, for whatever reason, if possible with a word on how. Never rejects. */
  readonly ended: Promise<string | undefined>
  /** Sends a signal; for one that ends the process, resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Asks it to stop, makes it stop if it does not in time, and resolves when it has ended. */
  stop(): Promise<void>
}

export interface ProgramOptions {
  /** A script for this process's own Node. */
  readonly script: string
  readonly nodeArgs?: readonly string[]
  readonly cwd: string
  readonly env: Variables
  readonly log: LogFile
  /** How long it may take to stop before it is killed. */
  readonly stopLimitMs: number
}

const survivable: ReadonlySet<NodeJS.Signals> = new Set(['SIGSTOP', 'SIGCONT'])

/** Whether a server that gets this signal comes to its end. */
export function endsProcess(signal: NodeJS.Signals): boolean {
  return !survivable.has(signal)
}

/**
 * Starts a Node program in a session of its own. Ctrl-C in the terminal then reaches this process alone, which stops its
 * programs in their order. If this process dies without having done that, the program gets SIGTERM.
 */
export function startProgram({ script, nodeArgs = [], cwd, env, log, stopLimitMs }: ProgramOptions): Running {
  const output = log.openForProgram()
  const child = spawn(process.execPath, [...nodeArgs, script], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', output, output]
  })
  closeSync(output)
  const callOff = child.pid === undefined ? () => undefined : endWithParent(child.pid, 'TERM', null)
  let isRunning = child.pid !== undefined
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      isRunning = false
      callOff()
      resolve(how)
    }
    child.once('exit', (code, signal) => end(signal === null ? `with status ${code}` : `by ${signal}`))
    child.once('error', (error) => end(`because it could not be started: ${error.message}`))
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
      // One that was suspended would not see the signal.
      child.kill('SIGCONT')
      const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
      await ended
      clearTimeout(limit)
    }
  }
}
