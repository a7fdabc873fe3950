import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { listProcesses, type Process } from '@tollgate/sandbox/child/list-processes.ts'
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
