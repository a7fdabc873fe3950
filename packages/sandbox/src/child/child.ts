import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithParent } from './end-with-parent.ts'

const retryMs = 1

/**
 * Resolves when a process is suspended after SIGSTOP, or has ended. On a busy machine this takes a while: the process
 * handles the signal when it next runs. Without `/proc` it resolves at once.
 */
async function untilSuspended(pid: number): Promise<void> {
  while ((await stateOf(pid)) === 'running') await delay(retryMs)
}

async function stateOf(pid: number): Promise<'running' | 'suspended' | 'unknown'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return 'unknown'
  // The state follows the program's name. The name is in parentheses and can contain parentheses.
  return 'TtZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? 'X') ? 'suspended' : 'running'
}

export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Environment variables. They override those of this process. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** The system user to run as, for a program that refuses root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** The signal for an orderly stop. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT'
  /** How long an orderly stop may take before SIGKILL; 5 s by default. */
  readonly stopTimeoutMs?: number
  /** A directory to remove if this process dies before it can remove it itself. */
  readonly temporaryDirectory: string | null
  /** Whether this process may end, and so end the program, as soon as it has nothing else to do. */
  readonly unref?: boolean | undefined
}

export interface Child {
  readonly pid: number
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  isRunning(): boolean
  /** The last lines of its output, for error messages. */
  output(): string
  /**
   * Sends `signal`. Resolves when the process has ended; for SIGSTOP, when it is suspended; for other signals that do
   * not end it, at once.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Sends the stop signal, and SIGKILL after `stopTimeoutMs`. Resolves when the process has ended. */
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
const defaultStopTimeoutMs = 5_000
const outputLines = 40

/**
 * Starts a server program that ends with this process.
 *
 * The program gets its own session. So Ctrl-C in the terminal reaches only this process, which stops its servers in the
 * right order.
 *
 * @throws the system's error (ENOENT, EACCES, …) if the program cannot be started
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, cwd, user, stopSignal, temporaryDirectory, stopTimeoutMs = defaultStopTimeoutMs } = options
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
  for (const stream of [running.stdout, running.stderr]) {
    stream.setEncoding('utf8').on('data', collect)
    if (options.unref === true && stream instanceof Socket) stream.unref()
  }
  if (options.unref === true) running.unref()

  let isRunning = true
  // Not 'exit': only at 'close' has all output been read.
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
  const callOffWatcher = endWithParent(pid, signalNames[stopSignal], temporaryDirectory)
  void ended.then(callOffWatcher)

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
        // A suspended process would not see the signal.
        running.kill('SIGCONT')
        const timer = setTimeout(() => running.kill('SIGKILL'), stopTimeoutMs)
        await ended
        clearTimeout(timer)
      }
    }
  }
}

const signalNames = { SIGTERM: 'TERM', SIGINT: 'INT', SIGQUIT: 'QUIT' } as const

/** The variables that configure Node in this process. Child processes that get them start faster. */
export function nodeVariables(): { NODE_COMPILE_CACHE?: string; NODE_OPTIONS?: string } {
  const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env
  return {
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS })
  }
}
