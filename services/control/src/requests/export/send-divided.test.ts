import assert from 'node:assert/strict'
import type { LogOutcome, LogRecord } from '@tollgate/service/log-export/log-sender.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { sendDivided } from './send-divided.ts'

const recordOf = (index: number): LogRecord => ({
  atMs: index,
  eventName: 'e',
  body: '',
  severity: 'info' as const,
  attributes: {}
})
const recordsOf = (count: number) => Array.from({ length: count }, (_, index) => recordOf(index))
const taken: LogOutcome = { kind: 'taken', rejected: 0, message: null }

/** A collector that refuses each batch with a bad record. */
function collectorWith(bad: ReadonlySet<number>) {
  const stored: number[] = []
  const send = async (records: readonly LogRecord[]): Promise<LogOutcome> => {
    if (records.some(({ atMs }) => bad.has(atMs))) return { kind: 'refused', status: 400 }
    stored.push(...records.map(({ atMs }) => atMs))
    return taken
  }
  return { stored, send }
}

test('up to three bad records of a batch are given up, and all others arrive once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: 500 }), fc.array(fc.nat(), { maxLength: 3 }), async (count, picks) => {
      const bad = new Set(picks.map((pick) => pick % count))
      const { stored, send } = collectorWith(bad)
      const { sent, rejected } = await sendDivided(recordsOf(count), send)
      assert.deepEqual([sent, rejected], [count - bad.size, bad.size])
      assert.deepEqual(
        stored,
        recordsOf(count).flatMap(({ atMs }) => (bad.has(atMs) ? [] : [atMs]))
      )
    })
  )
})

test('a collector that refuses everything gets everything again later', async () => {
  const refuse = async (): Promise<LogOutcome> => ({ kind: 'refused', status: 413 })
  await assert.rejects(sendDivided(recordsOf(1), refuse), /refuses all records with status 413/)
  await assert.rejects(sendDivided(recordsOf(500), refuse), /refuses many records with status 413/)
})

test('rejected records of all parts are added up, with the first reason', async () => {
  const send = async (records: readonly LogRecord[]): Promise<LogOutcome> =>
    records.length > 2 ? { kind: 'refused', status: 413 } : { kind: 'taken', rejected: 1, message: `${records.length}` }
  assert.deepEqual(await sendDivided(recordsOf(4), send), { sent: 2, rejected: 2, reason: '2' })
  const none: LogOutcome = { kind: 'taken', rejected: 3, message: null }
  assert.deepEqual(await sendDivided(recordsOf(3), async () => none), { sent: 0, rejected: 3, reason: null })
})
