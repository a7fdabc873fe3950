import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { Counter, Gauge, Registry } from 'prom-client'
import t from 'tap'
import { checkWorkers, countWorkers } from './count-workers.ts'
import { JoinedMetrics } from './joined-metrics.ts'
import { joinReadiness } from './joined-readiness.ts'
import type { ProcessMetrics } from './messages.ts'
import { passWholeLines } from './whole-lines.ts'
import type { AnsweredSlot } from './worker-pool.ts'

async function metricsOf(requests: number, up: number): Promise<ProcessMetrics> {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'x', registers }).inc(requests)
  new Gauge({ name: 'streams', help: 'x', registers }).set(requests)
  new Gauge({ name: 'redis_up', help: 'x', registers, aggregator: 'min' }).set(up)
  return registry.getMetricsAsJSON()
}

function slot(
  number: number,
  metrics: ProcessMetrics | null,
  isReady = true,
  lastMetrics: ProcessMetrics = []
): AnsweredSlot {
  const problems = [{ upstream: 'a' }]
  const state = { readiness: { isReady, details: { redis: isReady, problems } }, metrics }
  return { number, pid: 100 + number, state: metrics === null ? null : state, lastMetrics }
}

t.test('metrics are sums, unless a gauge says otherwise', async () => {
  const [one, two] = [await metricsOf(3, 1), await metricsOf(4, 0)]
  const shown = await new JoinedMetrics(async () => [slot(1, one), slot(2, two)]).metrics()
  for (const line of ['requests_total 7', 'streams 7', 'redis_up 0', 'tollgate_workers 2']) {
    assert.ok(shown.split('\n').includes(line), line)
  }
})

t.test('the counts of workers that ended or do not answer stay; their gauges do not', async () => {
  const [one, two, three] = [await metricsOf(3, 1), await metricsOf(4, 1), await metricsOf(5, 1)]
  const joined = new JoinedMetrics(async () => [slot(1, one), slot(2, null, true, two)])
  joined.workerEnded(three)
  joined.workerEnded(three)
  joined.workerRestarted()
  const shown = (await joined.metrics()).split('\n')
  for (const line of ['requests_total 17', 'streams 3', 'tollgate_workers 1', 'tollgate_worker_restarts_total 1']) {
    assert.ok(shown.includes(line), line)
  }
})

t.test('workers are ready together while half of them are', async () => {
  const metrics: ProcessMetrics = []
  const ready = (...states: Array<boolean | null>) =>
    joinReadiness(
      states.map((isReady, index) => slot(index + 1, isReady === null ? null : metrics, isReady === true)),
      false
    )
  assert.equal(ready(true, false).isReady, true)
  assert.equal(ready(true, null, false).isReady, false)
  assert.equal(ready(true, true, null).isReady, true)
  assert.deepEqual(ready(true, null).details, {
    ready: 1,
    needed: 1,
    stopping: false,
    workers: [
      { worker: 1, pid: 101, ready: true, redis: true },
      { worker: 2, pid: 102, ready: false, answers: false }
    ],
    problems: [{ upstream: 'a' }]
  })
  assert.equal(joinReadiness([slot(1, metrics)], true).isReady, false, 'not while they stop')
})

t.test('lines of workers are passed on whole', async () => {
  const output = new PassThrough()
  const written: string[] = []
  passWholeLines(output, (lines) => written.push(lines))
  for (const part of ['{"a":', '1}\n{"b"', ':2}\n{"c":3}\n', '{"é', '":4}']) output.write(part)
  output.end()
  await new Promise((resolve) => output.once('close', resolve))
  assert.deepEqual(written, ['{"a":1}\n', '{"b":2}\n{"c":3}\n', '{"é":4}\n'])
})

t.test('auto means a worker for each core', async () => {
  assert.equal(countWorkers('auto', 8), 8)
  assert.equal(countWorkers('3', 8), 3)
  assert.equal(checkWorkers({ GATEWAY_WORKERS: '1', GATEWAY_PORT: 0 }), null)
  assert.match(checkWorkers({ GATEWAY_WORKERS: 'auto', GATEWAY_PORT: 0 })!, /^GATEWAY_PORT/)
})
