import { spawn } from 'node:child_process'
import { endWithParent } from './end-with-parent.ts'
import { untilSuspended } from './until-suspended.ts'

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Added to those of this process, and win over them. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** The system user to run as, when this process is root and the program refuses root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** The signal that asks the program to stop and to leave its files in order. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT'
  /** How long it may take to stop before SIGKILL ends it; 5 s unless given. */
  readonly stopLimitMs?: number
  /** A directory to remove if this process dies before it could do so itself. */
  readonly temporaryDirectory: string | null
}

export interface Child {
  readonly pid: number
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Whether it is still running. */
  isRunning(): boolean
  /** The last lines that it wrote, for error messages. */
  output(): string
  /**
   * Sends `signal`; for one that ends the process, resolves when the process has ended, for SIGSTOP when it is suspended,
   * else at once.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Asks it to stop, and ends it by SIGKILL if it has not within `stopLimitMs`. Resolves when it has ended. */
  stop(): Promise<void>
}

const survivable: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGSTOP',
  'SIGCONT',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGTSTP'
])
const usualStopLimitMs = 5_000
const outputLines = 40

/**
 * Starts a server program that ends with this process.
 *
 * It runs in a session of its own, so that Ctrl-C reaches only the program that was started in the terminal, which
 * then stops its servers in the right order.
 *
 * @throws the system's error (ENOENT, EACCES, …) when the program cannot be started
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, cwd, user, stopSignal, temporaryDirectory, stopLimitMs = usualStopLimitMs } = options
  const running = spawn(command, args, {
    cwd,
    env: { ...process.env, ...options.variables },
    ...user,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const lines: string[] = []
  let rest = ''
  const collect = (text: string) => {
    const complete = (rest + text).split('\n')
    rest = complete.pop() ?? ''
    lines.push(...complete)
    lines.splice(0, lines.length - outputLines)
  }
  running.stdout.setEncoding('utf8').on('data', collect)
  running.stderr.setEncoding('utf8').on('data', collect)

  let isRunning = true
  // 'close' rather than 'exit': only then has all of its output been read.
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    running.once('close', (code, signal) => {
      isRunning = false
      resolve({ code, signal })
    })
  })
  await new Promise<void>((resolve, reject) => {
    running.once('spawn', resolve)
    running.once('error', reject)
  })
  const pid = running.pid
  if (pid === undefined) throw new Error(`${command} has no process id.`)
  const callOff = endWithParent(pid, signalNames[stopSignal], temporaryDirectory)
  void ended.then(callOff)

  const kill = async (signal: NodeJS.Signals) => {
    if (isRunning) running.kill(signal)
    if (!survivable.has(signal)) await ended
    else if (signal === 'SIGSTOP' && isRunning) await untilSuspended(pid)
  }
  return {
    pid,
    ended,
    isRunning: () => isRunning,
    output: () => [...lines, rest].join('\n').trim(),
    kill,
    async stop() {
      if (isRunning) {
        running.kill(stopSignal)
        // A process that a test has suspended would not see the signal.
        running.kill('SIGCONT')
        const limit = setTimeout(() => running.kill('SIGKILL'), stopLimitMs)
        await ended
        clearTimeout(limit)
      }
    }
  }
}

const signalNames = { SIGTERM: 'TERM', SIGINT: 'INT', SIGQUIT: 'QUIT' } as const
