import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { type ReadyProgram, startProgram, startReady } from '../testing/start-program.ts'

const usage = { prompt_tokens: 10, completion_tokens: 10 }
const answer = JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message: {} }], usage })
/** 10 tokens of each kind, at the prices of the tests' catalog. */
const costNanos = 7500

interface ReadyAnswer {
  ready: number
  workers: Array<{ worker: number; pid: number | null; ready: boolean }>
}

async function readyz({ adminPort }: ReadyProgram): Promise<ReadyAnswer> {
  return (await (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).json()) as ReadyAnswer
}

async function metric({ adminPort }: ReadyProgram, name: RegExp): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => name.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

const deadlineMs = 30_000

/** Asks again until `check` holds. @throws Error that says what was waited for, after 30 seconds */
async function until<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  check: (value: Value) => boolean
): Promise<Value> {
  let value = await read()
  for (const deadline = performance.now() + deadlineMs; !check(value); value = await read()) {
    if (performance.now() > deadline) {
      throw new Error(`waited ${deadlineMs / 1000} s for ${what}: ${JSON.stringify(value)}`)
    }
    await delay(20)
  }
  return value
}

const allReady = (program: ReadyProgram, count: number): Promise<ReadyAnswer> =>
  until(
    `${count} ready workers`,
    () => readyz(program),
    ({ ready }) => ready === count
  )

/** Resolves when two processes have written such a line. */
const linesOfBoth = (program: ReadyProgram, what: string, lines: RegExp): Promise<number> =>
  until(
    `${what} of both workers`,
    () => pidsOf(program, lines).size,
    (count) => count === 2
  )

/** Each call has its own connection, which the system gives to any worker. */
async function askAnew({ url, secret }: ReadyProgram): Promise<number> {
  const call = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
  })
  call.end(JSON.stringify(chatOf('small')))
  const [response] = await once(call, 'response')
  await text(response)
  return response.statusCode
}

async function askTimes(program: ReadyProgram, times: number): Promise<void> {
  for (let done = 0; done < times; done++) assert.equal(await askAnew(program), 200)
}

const pidsOf = (program: ReadyProgram, lines: RegExp): Set<number> =>
  new Set(
    program.gateway
      .output()
      .split('\n')
      .filter((line) => lines.test(line))
      .map((line) => (JSON.parse(line) as { pid: number }).pid)
  )

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

t.test('two workers serve one port; a killed one is replaced, and nothing that was spent is lost', async (t) => {
  const program = await startReady(t, { GATEWAY_WORKERS: '2' })
  program.upstream.answer(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer))
  const before = await allReady(program, 2)
  await askTimes(program, 40)
  await linesOfBoth(program, 'requests', /"msg":"request"/)
  assert.deepEqual(
    [...pidsOf(program, /"msg":"request"/)].toSorted(),
    before.workers.map(({ pid }) => pid).toSorted(),
    'both workers served'
  )
  const requests = /^tollgate_requests_total\{/
  assert.equal(await metric(program, requests), 40)
  assert.equal(await metric(program, /^tollgate_workers /), 2)

  const [killed] = before.workers
  process.kill(killed!.pid!, 'SIGKILL')
  await program.gateway.until(/"worker":1,.*"msg":"a worker ended: starting it again"/)
  assert.ok((await metric(program, requests)) >= 40, 'the counts of the killed worker stay')
  const after = await allReady(program, 2)
  assert.notEqual(after.workers[0]!.pid, killed!.pid)
  assert.equal(after.workers[1]!.pid, before.workers[1]!.pid)
  await askTimes(program, 20)
  assert.equal(await metric(program, requests), 60)
  assert.equal(await metric(program, /^tollgate_worker_restarts_total /), 1)
  const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
  const read = () => readSpend(program.state.control, program.account, month)
  const spend = await until('settled requests', read, (account) => account!.reserved === 0)
  assert.deepEqual(spend, { settled: 60 * costNanos, reserved: 0 })
})

t.test('SIGHUP reloads all workers, SIGTERM drains all, and a second signal ends their requests', async (t) => {
  const program = await startReady(t, { GATEWAY_WORKERS: '2' })
  const { gateway, upstream } = program
  await allReady(program, 2)
  writeFileSync(
    program.upstreamsFile,
    `upstreams: { test: { base_url: '${upstream.url}/v1', abort_stops_billing: false } }`
  )
  gateway.child.kill('SIGHUP')
  await linesOfBoth(program, 'reloaded upstreams', /"msg":"upstreams reloaded"/)

  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
  })
  const streamed = await program.ask(true)
  const { workers } = await readyz(program)
  const ended = once(gateway.child, 'close')
  gateway.child.kill('SIGTERM')
  await gateway.until(/(?:"stopping: waiting for requests in flight"[\s\S]*){2}/)
  // systemd sends the signal to all processes of a service.
  for (const { pid } of workers) if (isRunning(pid!)) process.kill(pid!, 'SIGTERM')
  assert.equal((await fetch(`http://127.0.0.1:${program.adminPort}/readyz`)).status, 503)
  assert.doesNotMatch(gateway.output(), /second stop signal/)
  gateway.child.kill('SIGTERM')
  await assert.rejects(streamed.text())
  assert.deepEqual(await ended, [0, null])
})

t.test('workers finish their requests and end when their parent is killed', async (t) => {
  const program = await startReady(t, { GATEWAY_WORKERS: '2' })
  let finish = () => {}
  program.upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    finish = () => response.end('data: [DONE]\n\n')
  })
  const streamed = await program.ask(true)
  const { workers } = await allReady(program, 2)
  program.gateway.child.kill('SIGKILL')
  await once(program.gateway.child, 'exit')
  finish()
  assert.equal(await streamed.text(), 'data: 1\n\ndata: [DONE]\n\n')
  const running = () => workers.filter(({ pid }) => isRunning(pid!)).map(({ pid }) => pid)
  await until('the end of all workers', running, (pids) => pids.length === 0)
})

/** Delays a worker until its parent is gone. */
const waitForLonely = `if (process.argv[2] === 'worker') {
  process.stderr.write('a worker begins\\n')
  while (process.connected) await new Promise((resolve) => setTimeout(resolve, 10))
}`

t.test('workers that still load their code end, too, when their parent is killed', async () => {
  const { child, until } = startProgram(
    {
      REDIS_URL: 'redis://127.0.0.1:1',
      OPENAI_API_KEY: 'x',
      GATEWAY_WORKERS: '2',
      GATEWAY_PORT: '18498',
      GATEWAY_ADMIN_PORT: '0'
    },
    [`--import=data:text/javascript,${encodeURIComponent(waitForLonely)}`]
  )
  // The workers have the parent's error output, so it closes when all have ended.
  const closed = once(child, 'close')
  await until(/(?:a worker begins[\s\S]*){2}/)
  child.kill('SIGKILL')
  await closed
})

t.test('what stops a start stops it with several workers, too', async (t) => {
  const upstream = await startFakeUpstream()
  t.teardown(() => upstream.close())
  const taken = new URL(upstream.url).port
  const base = { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_API_KEY: 'x', GATEWAY_WORKERS: '2', GATEWAY_ADMIN_PORT: '0' }
  for (const [more, expected] of [
    [
      { GATEWAY_PORT: taken },
      new RegExp(`Another program uses port ${taken} on 127.0.0.1\\. Stop it, or set GATEWAY_PORT`)
    ],
    [{ GATEWAY_PORT: '0' }, /GATEWAY_PORT: must not be 0/],
    [{ GATEWAY_WORKERS: 'many' }, /GATEWAY_WORKERS: must be auto, or a number/],
    [{ GATEWAY_PORT: '18499', UPSTREAMS_FILE: '/nonexistent' }, /nonexistent[\s\S]*A worker ended before it listened/]
  ] as const) {
    const { child, output } = startProgram({ ...base, ...more })
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
    assert.match(output(), expected)
  }
})
