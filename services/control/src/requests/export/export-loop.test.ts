import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { LogSender } from '@tollgate/service/log-export/log-sender.ts'
import { openLogSender } from '@tollgate/service/log-export/open-log-sender.ts'
import { type OtlpReceiver, partialSuccess, startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import { sql } from 'drizzle-orm'
import type { Test } from 'tap'
import type { Database } from '../../database/connect.ts'
import { requestExporter, requestExports } from '../../database/schema/requests.ts'
import { onDatabase, openMigratedDatabase } from '../../testing/databases.ts'
import { createExportLoop, type ExportOutcome } from './export-loop.ts'
import { dropOldExports, exportLagSeconds, queueReceipts, receiptsPerBatch } from './export-queue.ts'
import { receiptOf, receiptsOf } from './testing/receipts.ts'

onDatabase('the export of receipts', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  t.beforeEach(async () => {
    await orm.delete(requestExports)
    await orm.delete(requestExporter)
  })
  const queue = (name: string, count: number) => orm.transaction((tx) => queueReceipts(tx, receiptsOf(name, count)))
  const collect = async (one: Test) => {
    const collector = await startOtlpReceiver()
    one.after(() => collector.close())
    return collector
  }

  await t.test('each stored receipt arrives once, in order, and none of a transaction that failed', async (one) => {
    const collector = await collect(one)
    const count = receiptsPerBatch * 2 + 1
    await queue('a', count)
    const failed = orm.transaction(async (tx) => {
      await queueReceipts(tx, receiptsOf('failed', 3))
      throw new Error('stored nothing')
    })
    await assert.rejects(failed, /stored nothing/)
    await queue('b', 2)
    assert.ok((await exportLagSeconds(orm)) > 0)

    const replica = await run(one, database, collector)
    await replica.until(() => replica.counts.exported === count + 2)
    assert.deepEqual(
      idsOf(collector),
      [...receiptsOf('a', count), ...receiptsOf('b', 2)].map(({ id }) => id)
    )
    assert.equal(collector.requests.length, 3)
    assert.equal(await exportLagSeconds(orm), 0)
    assert.deepEqual(replica.warnings, [])
  })

  await t.test('two replicas send each receipt once', async (one) => {
    const collector = await collect(one)
    const replicas = [await run(one, database, collector), await run(one, database, collector)]
    for (let page = 0; page < 8; page++) await queue(`p${page}`, 100)
    await collector.untilLogs((logs) => logs.length >= 800)
    await Promise.all(replicas.map(({ stop }) => stop()))
    assert.equal(new Set(idsOf(collector)).size, 800)
    assert.equal(collector.logs.length, 800)
  })

  await t.test('receipts wait while the collector fails, and arrive when it works', async (one) => {
    const collector = await collect(one)
    const statuses = [500, 401, 404, 503, 400]
    await queue('a', 3)
    collector.answer((_request, response) => response.writeHead(500).end())
    const replica = await run(one, database, collector)
    for (const status of statuses) {
      collector.answer((_request, response) => response.writeHead(status, { 'retry-after': '1000' }).end())
      const { failures } = replica.loop.progress
      await replica.until(() => replica.loop.progress.failures > failures)
    }
    assert.equal(await orm.$count(requestExports), 1)
    collector.answer((_request, response) => response.end())
    await replica.until(() => replica.counts.exported === 3)
    assert.equal(collector.logs.length, 3)
    // Once for all failures, although every round failed.
    assert.deepEqual(replica.warnings, ['receipts of requests cannot be exported: they wait in PostgreSQL'])
    assert.equal(replica.counts.rejected, 0)
  })

  await t.test('rejected receipts are counted, reported and not sent again', async (one) => {
    const collector = await collect(one)
    collector.answer((_request, response) => response.end(partialSuccess(2, 'too old')))
    await queue('a', 5)
    const replica = await run(one, database, collector)
    await replica.until(() => replica.counts.rejected === 2)
    assert.equal(replica.counts.exported, 3)
    assert.equal(await orm.$count(requestExports), 0)
    assert.deepEqual(replica.warnings, ['the collector rejected receipts of requests: they are not sent again'])
  })

  await t.test('one receipt that the collector refuses does not hold up the others', async (one) => {
    const collector = await collect(one)
    collector.answer((_request, response, logs) =>
      response.writeHead(logs.some(({ attributes }) => attributes['tollgate.key.id'] === 'bad') ? 400 : 200).end()
    )
    await orm.transaction((tx) => queueReceipts(tx, [receiptOf('req_bad', { key: 'bad' })]))
    const replica = await run(one, database, collector)
    await replica.until(() => replica.loop.progress.failures > 0)
    assert.equal(await orm.$count(requestExports), 1, 'alone, it may be the fault of the collector')
    await queue('good', 20)
    await replica.until(() => replica.counts.exported === 20)
    assert.deepEqual(
      idsOf(collector),
      receiptsOf('good', 20).map(({ id }) => id)
    )
    assert.equal(replica.counts.rejected, 1)
  })

  await t.test('another replica sends what a dead one could not finish, after its lease', async (one) => {
    const collector = await collect(one)
    await queue('a', 4)
    // It never gets an answer, and never stops properly.
    const dead = await run(one, database, collector, {
      sender: { send: () => new Promise(() => {}) },
      isStopped: false
    })
    await dead.sends()
    const next = await run(one, database, collector)
    await next.looks()
    assert.equal(collector.requests.length, 0)
    await orm.update(requestExporter).set({ leaseEndsAt: sql`clock_timestamp() - interval '1 second'` })
    collector.answer((_request, response) => response.end())
    await next.until(() => next.counts.exported === 4)
    assert.deepEqual(
      idsOf(collector),
      receiptsOf('a', 4).map(({ id }) => id)
    )
  })

  await t.test('a replica that stops lets another one send at once', async (one) => {
    const collector = await collect(one)
    collector.answer(() => {})
    await queue('a', 4)
    const first = await run(one, database, collector, { lastBatchMs: 0 })
    await collector.untilLogs((logs) => logs.length === 4)
    await first.stop()
    assert.equal(await orm.$count(requestExports), 1)
    collector.answer((_request, response) => response.end())
    const next = await run(one, database, collector)
    await next.until(() => next.counts.exported === 4)
    // The collector had them without an answer. The ids tell that they are the same.
    assert.equal(collector.logs.length, 8)
    assert.equal(new Set(idsOf(collector)).size, 4)
  })

  await t.test('receipts that have waited for too long are dropped and counted', async () => {
    await queue('old', 700)
    await orm.update(requestExports).set({ storedAt: new Date('2026-01-01') })
    await queue('new', 5)
    assert.ok((await exportLagSeconds(orm)) > 1000)
    assert.equal(await dropOldExports(orm, new Date('2026-01-02')), 700)
    assert.equal(await orm.$count(requestExports), 1)
  })
})

const idsOf = ({ logs }: OtlpReceiver) => logs.map(({ attributes }) => attributes['tollgate.request.id'])

interface RunOptions {
  /** Default: one that sends to the collector. */
  sender?: Pick<LogSender, 'send'>
  /** Whether it stops when the test ends. */
  isStopped?: boolean
  lastBatchMs?: number
}

/** Runs the loop of one replica of control. */
async function run(
  t: Test,
  database: Database,
  collector: OtlpReceiver,
  { sender: options, isStopped = true, lastBatchMs = 30_000 }: RunOptions = {}
) {
  const events = new EventEmitter()
  const counts: Record<ExportOutcome, number> = { exported: 0, rejected: 0, expired: 0 }
  const warnings: string[] = []
  const opened = (await openLogSender(
    { url: `${collector.url}/v1/logs`, batchTimeoutMs: 30_000 },
    { name: 'tests', version: '1' }
  ))!
  const sender = options ?? opened
  const loop = createExportLoop({
    database,
    sender: {
      send(records, signal) {
        events.emit('send')
        return sender.send(records, signal)
      }
    },
    log: { info: () => {}, warn: (_values: object, message: string) => void warnings.push(message) } as never,
    onOutcome(outcome, receipts) {
      counts[outcome] += receipts
    },
    times: { intervalMs: 5, maxPauseMs: 5, lastBatchMs, onPause: () => events.emit('pause') }
  })
  const stop = async () => {
    await loop.stop()
    opened.close()
  }
  if (isStopped) t.after(stop)
  else t.after(() => opened.close())
  const sends = once(events, 'send')
  const looks = once(events, 'pause')
  loop.start()
  return {
    loop,
    counts,
    warnings,
    stop,
    /** Resolves when it sends. */
    sends: () => sends,
    /** Resolves when it has looked for receipts, and sends none. */
    looks: () => looks,
    /** Checks after each round. */
    async until(isTrue: () => boolean) {
      const signal = AbortSignal.timeout(30_000)
      while (!isTrue()) await once(events, 'pause', { signal })
    }
  }
}
