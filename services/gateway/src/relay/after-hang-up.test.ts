import assert from 'node:assert/strict'
import { test } from 'tap'
import { type AbandonedRequest, type AfterHangUp, afterHangUp } from './after-hang-up.ts'

const stream: AbandonedRequest = {
  isStream: true,
  awaitsRetry: false,
  isUnderWay: true,
  response: 'stream',
  canEndEarly: true,
  mayRepeat: false
}
const single: AbandonedRequest = { ...stream, isStream: false, response: null, canEndEarly: false }

const table: ReadonlyArray<[name: string, request: AbandonedRequest, next: AfterHangUp]> = [
  ['a request that waits before another call ends', { ...stream, awaitsRetry: true, isUnderWay: false }, 'end'],
  ['so does a single answer that waits', { ...single, awaitsRetry: true, isUnderWay: false }, 'end'],
  ['a stream whose call has no connection yet ends', { ...stream, response: null, isUnderWay: false }, 'end'],
  ['a single answer is read to its end', { ...single, response: 'whole' }, 'read whole'],
  ['also before its first byte', single, 'read whole'],
  ['also before its call has a connection', { ...single, isUnderWay: false }, 'read whole'],
  ['a refusal is cut', { ...stream, response: 'refusal' }, 'cut refusal'],
  ['also for a single answer', { ...single, response: 'refusal' }, 'cut refusal'],
  ['a stream ends early if the provider bills only what arrives', stream, 'end early'],
  ['also before its first byte', { ...stream, response: null }, 'end early'],
  ['a stream that the provider bills in full is read on', { ...stream, canEndEarly: false }, 'read on'],
  ['so is a stream that the client may ask for again', { ...stream, mayRepeat: true }, 'read on'],
  ['also before its first byte', { ...stream, response: null, mayRepeat: true }, 'read on'],
  [
    'a single answer that came as a stream counts as one',
    { ...single, response: 'stream', canEndEarly: true },
    'end early'
  ]
]

test('what the gateway does after its client has hung up', async (t) => {
  for (const [name, request, next] of table) {
    await t.test(name, async () => assert.equal(afterHangUp(request), next))
  }
})
