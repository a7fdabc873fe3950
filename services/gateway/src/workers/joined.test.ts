import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { Counter, Gauge, Registry } from 'prom-client'
import t from 'tap'
import type { NamesByLabel } from '../telemetry/metrics.ts'
import { JoinedMetrics, joinReadiness } from './joined.ts'
import type { ProcessMetrics } from './messages.ts'
import { passWholeLines } from './run-workers.ts'
import { type AnsweredSlot, checkWorkers, countWorkers } from './worker-pool.ts'

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
  lastMetrics: ProcessMetrics = [],
  names: NamesByLabel = {}
): AnsweredSlot {
  const problems = [{ upstream: 'a' }]
  const state = { readiness: { isReady, details: { redis: isReady, problems } }, metrics, names }
  return { number, pid: 100 + number, state: metrics === null ? null : state, lastMetrics, silentMs: 3000 }
}

t.test('metrics are sums, unless a gauge says otherwise', async () => {
  const [one, two] = [await metricsOf(3, 1), await metricsOf(4, 0)]
  const text = await new JoinedMetrics(async () => [slot(1, one), slot(2, two)]).metrics()
  for (const line of ['requests_total 7', 'streams 7', 'redis_up 0', 'tollgate_workers 2']) {
    assert.ok(text.split('\n').includes(line), line)
  }
})

t.test('the counts of workers that ended or do not answer stay; their gauges do not', async () => {
  const [one, two, three] = [await metricsOf(3, 1), await metricsOf(4, 1), await metricsOf(5, 1)]
  const joined = new JoinedMetrics(async () => [slot(1, one), slot(2, null, true, two)])
  joined.workerEnded(three)
  joined.workerEnded(three)
  joined.workerRestarted()
  const lines = (await joined.metrics()).split('\n')
  for (const line of ['requests_total 17', 'streams 3', 'tollgate_workers 1', 'tollgate_worker_restarts_total 1']) {
    assert.ok(lines.includes(line), line)
  }
})

t.test('the greatest lag and the most open files of a worker are shown, not their mean or sum', async () => {
  async function processOf(lag: number, files: number): Promise<ProcessMetrics> {
    const registry = new Registry()
    collectProcessMetrics(registry)
    const values = new Map<string, number>([
      ...['', 'mean_', 'p99_'].map((kind) => [`nodejs_eventloop_lag_${kind}seconds`, lag] as const),
      ...([
        ['process_open_fds', files],
        ['process_max_fds', 1000]
      ] as const)
    ])
    const metrics = await registry.getMetricsAsJSON()
    return metrics.map((metric) => {
      const value = values.get(metric.name)
      return value === undefined ? metric : { ...metric, values: [{ value, labels: {} }] }
    })
  }
  const [one, two] = [await processOf(0.01, 900), await processOf(0.5, 20)]
  const lines = (await new JoinedMetrics(async () => [slot(1, one), slot(2, two)]).metrics()).split('\n')
  const expected = ['', 'mean_', 'p99_'].map((kind) => `nodejs_eventloop_lag_${kind}seconds 0.5`)
  for (const line of [...expected, 'process_open_fds 900', 'process_max_fds 1000'])
    assert.ok(lines.includes(line), line)

  const silent = (await new JoinedMetrics(async () => [slot(1, one), slot(2, null)]).metrics()).split('\n')
  assert.ok(silent.includes('nodejs_eventloop_lag_p99_seconds 3'), 'a worker that has not answered for 3 s lags by 3 s')
})

t.test('counts of ended workers are dropped when no worker has their model in force', async () => {
  const registry = new Registry()
  const labelNames = ['model', 'status'] as const
  const counter = new Counter({ name: 'asked_total', help: 'x', labelNames, registers: [registry] })
  for (const model of ['kept', 'former', 'other', '']) counter.inc({ model, status: '200' })
  const metrics = await registry.getMetricsAsJSON()
  let names: NamesByLabel | null = { model: ['kept', 'former'] }
  const slots = () => [
    names === null ? slot(1, null, true, metrics) : slot(1, [], true, [], names),
    slot(2, null, true, metrics)
  ]
  const joined = new JoinedMetrics(async () => slots())
  joined.workerEnded(metrics)
  const models = async () =>
    [...(await joined.metrics()).matchAll(/^asked_total\{model="(\w*)"/gm)].map(([, model]) => model)
  assert.deepEqual(await models(), ['kept', 'former', 'other', ''])
  names = null
  assert.deepEqual(await models(), ['kept', 'former', 'other', ''], 'no worker answers: names are unknown')
  names = { model: ['kept'] }
  assert.deepEqual(await models(), ['kept', 'other', ''])
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
