import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { Test } from 'tap'
import { chatOf, post } from './client.ts'
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'
import { startGateway, type TestGateway } from './start-gateway.ts'

const script = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface Program {
  readonly child: ChildProcess
  /** Everything that it wrote so far. */
  output(): string
  /** Resolves when the output matches. */
  until(text: RegExp): Promise<void>
}

/** Starts the gateway like an operator. @param flags of Node.js */
export function startProgram(env: Record<string, string>, flags: readonly string[] = []): Program {
  const child = spawn(process.execPath, [...flags, script], {
    env: { PATH: process.env.PATH, ...nodeVariables(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  let checks: Array<() => boolean> = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      checks = checks.filter((check) => !check())
    })
  }
  return {
    child,
    output: () => output,
    until: (text) =>
      new Promise((resolve) => {
        const check = (): boolean => {
          if (!text.test(output)) return false
          resolve()
          return true
        }
        if (!check()) checks.push(check)
      })
  }
}

export interface ReadyProgram {
  readonly upstream: FakeUpstream
  readonly gateway: Program
  /** Provides Redis and its state. Its own gateway gets no requests. */
  readonly state: TestGateway
  readonly upstreamsFile: string
  readonly url: string
  readonly adminPort: number
  readonly secret: string
  readonly account: string
  /** Its id. */
  readonly key: string
  /** Calls a model with a key. */
  ask(stream?: boolean, headers?: Record<string, string>): Promise<Response>
}

/** Starts a gateway like an operator, and waits until it is ready. */
export async function startReady(
  t: Test,
  env: Record<string, string> = {},
  flags: readonly string[] = []
): Promise<ReadyProgram> {
  const upstream = await startFakeUpstream()
  const state = await startGateway(upstream.url)
  const upstreamsFile = join(t.testdir(), 'upstreams.yaml')
  writeFileSync(upstreamsFile, `upstreams: { test: { base_url: '${upstream.url}/v1' } }`)
  const [port, adminPort] = [await freePort(), await freePort()]
  const gateway = startProgram(
    {
      REDIS_URL: state.redis.url,
      UPSTREAMS_FILE: upstreamsFile,
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      ...env
    },
    flags
  )
  t.teardown(async () => {
    gateway.child.kill('SIGKILL')
    await state.close()
    await upstream.close()
  })
  await gateway.until(/"listening"/)
  while (!(await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok) await delay(20)
  const { secret, account, id: key } = await state.seedKey()
  const url = `http://127.0.0.1:${port}`
  const ask = (stream = false, headers: Record<string, string> = {}) =>
    post({ url }, secret, '/chat/completions', chatOf('small', { stream }), {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...headers }
    })
  return { upstream, gateway, state, upstreamsFile, url, adminPort, secret, account, key, ask }
}
