import assert from 'node:assert/strict'
import { type Test, test } from 'tap'
import { type OtlpReceiver, partialSuccess, startOtlpReceiver } from '../testing/otlp-receiver.ts'
import { checkLogExport, type LogExportVariables, type LogRecord, type LogSender, readLogExport } from './log-sender.ts'
import { openLogSender } from './open-log-sender.ts'

const defaults: LogExportVariables = {
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
  OTEL_SDK_DISABLED: 'false'
}

test('logs go to the URL that is given for them, or nowhere', async () => {
  const url = 'http://collector:4318/v1/logs'
  const variables = { ...defaults, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url }
  assert.equal(readLogExport(defaults), null)
  assert.deepEqual(readLogExport(variables), { url })
  assert.equal(readLogExport({ ...variables, OTEL_SDK_DISABLED: 'true' }), null)
  assert.equal(checkLogExport(defaults), null)
  assert.equal(checkLogExport(variables), null)
  for (const wrong of ['collector:4318', 'ftp://collector', 'http://']) {
    assert.match(checkLogExport({ ...defaults, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: wrong })!, /must be an http/)
  }
})

const record: LogRecord = {
  atMs: 1_795_435_200_123,
  eventName: 'tests.event',
  body: 'a line',
  severity: 'info',
  attributes: { text: 'é✓', most: Number.MAX_SAFE_INTEGER, below: -1, part: 0.25, yes: true, no: false, none: 0 }
}
const live = new AbortController().signal

async function open(t: Test, batchTimeoutMs = 30_000): Promise<{ collector: OtlpReceiver; sender: LogSender }> {
  const collector = await startOtlpReceiver()
  const settings = { url: `${collector.url}/v1/logs`, batchTimeoutMs }
  const sender = (await openLogSender(settings, { name: 'tests', version: '1' }))!
  t.teardown(async () => {
    sender.close()
    await collector.close()
  })
  return { collector, sender }
}

test('a collector gets each record with its time, its severity and all its values', async (t) => {
  const { collector, sender } = await open(t)
  assert.deepEqual(await sender.send([record, { ...record, severity: 'warn', body: 'other' }], live), {
    kind: 'taken',
    rejected: 0,
    message: null
  })
  const [first, second] = collector.logs
  assert.equal(first!.timeNanos, 1_795_435_200_123_000_000n)
  assert.deepEqual([first!.eventName, first!.body, first!.severity], ['tests.event', 'a line', 'INFO'])
  assert.deepEqual(first!.attributes, record.attributes)
  assert.deepEqual([first!.resource['service.name'], first!.scope], ['tests', 'tollgate'])
  assert.deepEqual([second!.body, second!.severity], ['other', 'WARN'])
  assert.equal(collector.requests[0]!.headers['content-type'], 'application/x-protobuf')
})

test('a collector that rejects some records says how many, and why', async (t) => {
  const { collector, sender } = await open(t)
  collector.answer((_request, response) => response.end(partialSuccess(2, 'too old')))
  assert.deepEqual(await sender.send([record, record, record], live), {
    kind: 'taken',
    rejected: 2,
    message: 'too old'
  })
  collector.answer((_request, response) => response.end(partialSuccess(9, 'x'.repeat(1000))))
  assert.deepEqual(await sender.send([record], live), { kind: 'taken', rejected: 1, message: 'x'.repeat(200) })
  collector.answer((_request, response) => response.end('no protobuf'))
  assert.deepEqual(await sender.send([record], live), { kind: 'taken', rejected: 0, message: null })
})

test('a collector refuses records with 400, 413 and 422, and the sender with other statuses', async (t) => {
  const { collector, sender } = await open(t)
  for (const status of [400, 413, 422]) {
    collector.answer((_request, response) => response.writeHead(status).end('secret'))
    assert.deepEqual(await sender.send([record], live), { kind: 'refused', status })
  }
  for (const status of [302, 401, 403, 404, 500]) {
    collector.answer((_request, response) => response.writeHead(status).end('secret'))
    await assert.rejects(sender.send([record], live), { message: `the collector answered with status ${status}` })
  }
})

test('a batch is repeated after 503, as the collector asks', async (t) => {
  const { collector, sender } = await open(t)
  collector.answer((_request, response) => {
    collector.answer((_again, taken) => taken.end())
    response.writeHead(503, { 'retry-after': new Date(0).toUTCString() }).end()
  })
  assert.equal((await sender.send([record], live)).kind, 'taken')
  assert.equal(collector.requests.length, 2)
})

test('a collector that never ends its answer fails the batch, and gets the next one', async (t) => {
  const { collector, sender } = await open(t, 50)
  collector.answer((_request, response) => {
    const timer = setInterval(() => response.write('.'), 1)
    response.once('close', () => clearInterval(timer))
  })
  await assert.rejects(sender.send([record], live), /did not answer within 50 ms/)
  collector.answer((_request, response) => response.end())
  const patient = (await openLogSender({ url: `${collector.url}/v1/logs` }, { name: 'tests', version: '1' }))!
  assert.equal((await patient.send([record], live)).kind, 'taken')
  patient.close()
})

test('a batch ends when its process stops', async (t) => {
  const { collector, sender } = await open(t)
  const stopping = new AbortController()
  collector.answer(() => stopping.abort())
  await assert.rejects(sender.send([record], stopping.signal), { name: 'AbortError' })
})

test('a collector that is away fails the batch', async (t) => {
  const sender = (await openLogSender(
    { url: 'http://127.0.0.1:1/v1/logs', batchTimeoutMs: 100 },
    { name: 'tests', version: '1' }
  ))!
  t.teardown(() => sender.close())
  await assert.rejects(sender.send([record], live))
})
