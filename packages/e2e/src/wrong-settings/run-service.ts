import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'

/** A service that runs as a process with given variables. */
export interface RunningService {
  /** Its output so far. */
  output(): string
  /** Resolves with the exit status when it ends. */
  readonly ended: Promise<number | null>
  /** The port for `/api`; null for a gateway. */
  readonly port: number
  /** Status and details of `/readyz`; null while it does not answer. */
  readyz(): Promise<{ status: number; details: Record<string, unknown> } | null>
  stop(): Promise<void>
}

/** Starts a service on free ports with only these variables. */
export async function runService(
  service: 'control' | 'gateway',
  env: Readonly<Record<string, string>>
): Promise<RunningService> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const ports =
    service === 'control'
      ? { CONTROL_PORT: String(port), CONTROL_ADMIN_PORT: String(adminPort) }
      : { GATEWAY_PORT: String(port), GATEWAY_ADMIN_PORT: String(adminPort) }
  const script = fileURLToPath(import.meta.resolve(`@tollgate/${service}/main.ts`))
  const child = spawn(process.execPath, [script], {
    env: { ...nodeVariables(), ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  const probe = `http://127.0.0.1:${adminPort}/readyz`
  return {
    output: () => output,
    ended,
    port,
    async readyz() {
      try {
        const answer = await fetch(probe)
        return { status: answer.status, details: (await answer.json()) as Record<string, unknown> }
      } catch {
        return null
      }
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    }
  }
}

/** Waits until a check returns a value. @throws Error with the service's output if the service ends before, or after a minute */
export async function until<Value>(
  service: RunningService,
  what: string,
  check: () => Promise<Value | null> | Value | null
): Promise<Value> {
  const deadline = performance.now() + 60_000
  let hasEnded = false
  void service.ended.then(() => {
    hasEnded = true
  })
  for (;;) {
    const value = await check()
    if (value !== null) return value
    if (hasEnded || performance.now() > deadline) throw new Error(`${what}: not seen in:\n${service.output()}`)
    await delay(30)
  }
}
