import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { listProcesses, type Process } from '@tollgate/sandbox/child/list-processes.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { choosePorts } from '../system/ports.ts'

const root = workspaceFile('')

/** Empties every variable that replaces an embedded part, so that this machine's settings have no effect. */
const nothingReplaced = {
  SUPABASE_URL: '',
  STRIPE_SECRET_KEY: '',
  STRIPE_WEBHOOK_SECRET: '',
  STRIPE_API_BASE: '',
  SMTP_URL: '',
  MAIL_FROM: '',
  DATABASE_URL: '',
  REDIS_URL: '',
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
  ANTHROPIC_API_KEY: '',
  GEMINI_API_KEY: '',
  MISTRAL_API_KEY: '',
  DEEPSEEK_API_KEY: '',
  GROQ_API_KEY: '',
  OLLAMA_BASE_URL: '',
  VLLM_BASE_URL: '',
  UPSTREAMS_FILE: '',
  CATALOG_FILE: '',
  PUBLIC_URL: '',
  GATEWAY_PUBLIC_URL: '',
  SERVICE_DOMAIN: '',
  NODE_ENV: '',
  TOLLGATE_LOG: '',
  TOLLGATE_DEMO_DATA: 'off',
  LOG_LEVEL: ''
}

/** Variables for a start on free ports. `PATH` has only npm and its Node. */
export async function startEnv(dataDir: string): Promise<Record<string, string>> {
  const ports = Object.entries(await choosePorts()).map(([name, port]) => [name, String(port)])
  const path = (process.env.PATH ?? '').split(delimiter).filter((directory) => !directory.endsWith('node_modules/.bin'))
  return {
    PATH: path.join(delimiter),
    HOME: process.env.HOME ?? '/',
    ...nodeVariables(),
    TOLLGATE_DATA_DIR: dataDir,
    ...nothingReplaced,
    ...Object.fromEntries(ports)
  }
}

export interface StartRun {
  readonly pid: number
  /** All output so far. */
  output(): string
  /** Resolves when the output contains the text. @throws Error with the output if the program ends first */
  until(text: string): Promise<void>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Its running processes. */
  processes(): ReturnType<typeof processTree>
}

/**
 * Runs `npm start`, or its program, as the leader of a process group, as a shell does. Remaining processes are killed
 * at the end of the test.
 */
export function runStart(
  t: { after(handler: () => Promise<void>): void },
  how: 'npm' | 'program',
  env: Record<string, string>
): StartRun {
  const [command, args] =
    how === 'npm' ? ['npm', ['start']] : [process.execPath, [join(root, 'packages/cli/src/start/run-start.ts')]]
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      for (const check of waiting) check()
    })
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  let seen: ReturnType<typeof processTree> = []
  const look = () => {
    const tree = processTree(pid)
    seen = [...seen, ...tree]
    return tree
  }
  const killNow = () => {
    look()
    killAll(seen)
  }
  // tap sends it to a test that runs out of time, half a second before it kills the test.
  process.once('SIGALRM', killNow)
  t.after(async () => {
    process.off('SIGALRM', killNow)
    killNow()
    await untilEnded(seen)
  })
  return {
    pid,
    output: () => output,
    until: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!output.includes(text)) return
          waiting.delete(check)
          look()
          resolve()
        }
        waiting.add(check)
        check()
        void ended.then(() => reject(new Error(`It ended without "${text}":\n${output}`)))
      }),
    ended,
    processes: look
  }
}

/** Lists `root` and all its descendants. */
function processTree(root: number): Process[] {
  const all = listProcesses()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** Kills the processes that still run. */
function killAll(processes: readonly Process[]): void {
  for (const { pid } of stillRunning(processes)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}

/** Resolves when all processes have ended. @throws Error that names the running ones after the timeout */
export async function untilEnded(processes: readonly Process[], timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const left = stillRunning(processes)
    if (left.length === 0) return
    if (performance.now() > deadline) {
      throw new Error(`still running: ${left.map(({ pid, command }) => `${pid} ${command}`).join(', ')}`)
    }
    await delay(50)
  }
}

function stillRunning(processes: readonly Process[]): Process[] {
  const running = new Map(listProcesses().map(({ pid, command }) => [pid, command]))
  // The command is compared, because another process may have reused the pid.
  return processes.filter(({ pid, command }) => running.get(pid) === command)
}
