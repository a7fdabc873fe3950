import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { listProcesses, type Process } from '@tollgate/sandbox/child/list-processes.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { test } from 'tap'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const skip = existsSync('/proc/self/schedstat') ? false : 'CPU time is read from /proc'

function startBench(...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, '--quick', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

test('the gateway is measured beside the bare proxy, and the figures are written', { skip }, async (t) => {
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('chat', '--json', json)
  let output = ''
  bench.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  let errors = ''
  bench.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(bench, 'close')) as [number]
  assert.equal(code, 0, errors)
  assert.match(output, /CPU per request, µs +[\d.,]+ +[\d.,]+ /)
  const { machine, target, figures } = JSON.parse(readFileSync(json, 'utf8'))
  assert.equal(target, 'gateway')
  assert.equal(machine.node, process.version)
  for (const side of ['bare', 'target']) {
    for (const { answersPerSecond, cpuMicrosPerAnswer, measuredShare } of figures.chat.saturated.rounds[side]) {
      assert.ok(answersPerSecond > 0)
      // Two ways to calculate the CPU time per second have the same result.
      assert.ok(Math.abs((answersPerSecond * cpuMicrosPerAnswer) / 1e6 - measuredShare) < 1e-6)
    }
  }
})

test('the cost of metrics is measured for each kind of request', { skip }, async (t) => {
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('recording', '--json', json)
  bench.stdout?.resume()
  bench.stderr?.resume()
  assert.deepEqual(await once(bench, 'close'), [0, null])
  const { nanosPerRequest } = JSON.parse(readFileSync(json, 'utf8')).figures.recording
  assert.deepEqual(Object.keys(nanosPerRequest), [
    'a served request',
    'a served stream',
    'the receipt of a served request',
    'a refused request'
  ])
  for (const nanos of Object.values<number[]>(nanosPerRequest).flat()) assert.ok(nanos > 0)
})

test('finished requests leave only counters in Redis', { skip }, async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('redis-memory', '--json', json)
  let errors = ''
  bench.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  bench.stdout?.resume()
  const [code] = (await once(bench, 'close')) as [number]
  assert.equal(code, 0, errors)
  const { samples } = JSON.parse(readFileSync(json, 'utf8')).figures['redis-memory']
  const [, first] = samples
  const last = samples.at(-1)
  assert.equal(last.requests, 10_000)
  // A new hour brings new counters.
  assert.ok(last.keys <= first.keys + 10)
  assert.ok(last.cpuMicrosPerRequest > 0)
})

test('starts of both services are measured, from the clone and from the packages', { skip }, async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  if (!need(t, 'PostgreSQL', findPostgres(process.env))) return
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('start', '--json', json)
  let output = ''
  for (const pipe of [bench.stdout, bench.stderr]) {
    pipe?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(bench, 'close')) as [number]
  assert.equal(code, 0, output)
  const { rows } = JSON.parse(readFileSync(json, 'utf8')).figures.start
  assert.deepEqual(
    rows.map(({ name, from }: { name: string; from: string }) => `${name} ${from}`),
    ['control clone', 'control package', 'gateway clone', 'gateway package']
  )
  for (const { from, starts, sizeBytes } of rows) {
    assert.equal(sizeBytes > 1e6, from === 'package')
    for (const { seconds, cpuSeconds, residentBytes } of starts) {
      assert.ok(seconds > 0 && cpuSeconds > 0 && residentBytes > 10e6)
    }
  }
})

test('the cost of metering is measured with many accounts, beside the relay alone', { skip }, async (t) => {
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('metering', '--profile', '--json', json)
  const output = { stdout: '', stderr: '' }
  for (const pipe of ['stdout', 'stderr'] as const) {
    bench[pipe]?.setEncoding('utf8').on('data', (text: string) => {
      output[pipe] += text
    })
  }
  const [code] = (await once(bench, 'close')) as [number]
  assert.equal(code, 0, output.stderr)
  for (const name of ['gateway with 20 accounts', 'relay with keys checked', 'relay alone']) {
    assert.match(output.stdout, new RegExp(`^where the time goes: ${name}$`, 'm'))
  }
  const { measured } = JSON.parse(readFileSync(json, 'utf8')).figures.metering
  assert.deepEqual(
    measured.map(({ accounts }: { accounts: number | null }) => accounts),
    [20, null, null]
  )
  for (const { name, cpuMicrosPerRequest, redisPerRequest } of measured) {
    assert.ok(cpuMicrosPerRequest.ratio.median > 0)
    if (name === 'relay alone' || !need(t, 'redis-server', findRedisServer(process.env))) {
      assert.equal(redisPerRequest, null)
      continue
    }
    // No upper bound: on a slow host few requests finish, and the scripts that run each second are divided among them.
    assert.ok(redisPerRequest.scripts > 0)
    assert.ok(redisPerRequest.reads > 0 && redisPerRequest.reads <= redisPerRequest.scripts)
    assert.ok(redisPerRequest.cpuMicros > 0)
  }
})

test('in a soak, every answer is right, and everything is closed at the end', { skip }, async (t) => {
  const json = join(t.testdir({}), 'figures.json')
  const bench = startBench('soak', '--json', json)
  let errors = ''
  bench.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  bench.stdout?.resume()
  const [code] = (await once(bench, 'close')) as [number]
  assert.equal(code, 0, errors)
  const { tallies, samples, socketsBefore, socketsAfter, openCalls } = JSON.parse(readFileSync(json, 'utf8')).figures
    .soak
  const outcomes = Object.fromEntries(
    ['right answer', 'expected error', 'hung up', 'unexpected'].map((outcome) => [
      outcome,
      tallies.reduce((sum: number, tally: { outcomes: Record<string, number> }) => sum + tally.outcomes[outcome]!, 0)
    ])
  )
  assert.equal(outcomes.unexpected, 0)
  for (const outcome of ['right answer', 'expected error', 'hung up']) assert.ok(outcomes[outcome]! > 0, outcome)
  assert.ok(samples.length > 1)
  assert.equal(openCalls, 0)
  assert.ok(socketsAfter <= socketsBefore)
})

test('Ctrl-C ends the bench and all its processes', { skip }, async () => {
  const bench = startBench('--target', 'dispatch')
  // By then upstream, load generator and both sides run.
  const lines: string[] = []
  for await (const line of createInterface(bench.stderr!)) {
    lines.push(line)
    if (line.includes('round 1')) break
  }
  const children = listProcesses().filter(({ parent }) => parent === bench.pid)
  assert.ok(children.length >= 4, lines.join('\n'))
  bench.kill('SIGINT')
  const [code] = (await once(bench, 'exit')) as [number]
  assert.equal(code, 130)
  const isRunning = ({ pid }: Process) => listProcesses().some((running) => running.pid === pid)
  while (children.some(isRunning)) await delay(20)
})

test('an unknown part is reported before anything starts', async () => {
  const bench = startBench('strem')
  const lines: string[] = []
  for await (const line of createInterface(bench.stderr!)) lines.push(line)
  assert.match(lines[0]!, /unknown part "strem"; there are chat, stream, latency, memory, metering/)
  assert.equal(bench.exitCode ?? (await once(bench, 'exit'))[0], 1)
})
