import assert from 'node:assert/strict'
import t from 'tap'
import { type Allowed, findBrokenPromises } from './broken-promises.ts'
import type { Measured } from './measured.ts'

/** A measurement that keeps every promise. */
const measurement: Measured = {
  fault: 'none',
  brokenMs: 1000,
  revocations: { count: 2, answered: 2, maxAcceptedMs: 0 },
  caps: [{ capNanos: 1000, producedNanos: 900, chargedNanos: 900, unknownNanos: 0 }],
  produced: { requests: 10, nanos: 5000, finishedNanos: 5000 },
  charged: { requests: 10, failed: 0, nanos: 5000, estimatedRequests: 0, estimatedNanos: 0 },
  uncopied: null,
  receipts: { count: 10, missing: 0, extra: 0, differing: 0, repeated: 0, unlogged: 0, dropped: 0 },
  messages: {
    notices: { expected: 5, missing: 0, repeated: 0 },
    mails: { expected: 5, missing: 0, repeated: 0 },
    webhooks: { expected: 20, missing: 0, repeated: 2 },
    wrongWebhooks: 0,
    refusedWebhooks: 1
  },
  falseRefusals: new Map(),
  lost: [],
  raw: new Map([['200', 50]]),
  sdk: new Map([['200', 50]]),
  stalledMs: 30,
  recoveredMs: 0,
  findings: { seen: [], broken: [] }
}
const { charged, produced, receipts, messages } = measurement

/** Of a fault in which Redis loses data. */
const uncopied = {
  usage: { behindMs: 1000, requests: 1, nanos: 200 },
  receipts: { behindMs: 1500, requests: 3, nanos: 600 }
}

t.test('a measurement without deviations breaks no promise', async () => {
  assert.deepEqual(findBrokenPromises(measurement, {}), [])
})

const unavailable = '503 state_unavailable'
const broken: ReadonlyArray<[name: string, change: Partial<Measured>, allowed: Allowed]> = [
  ['accepting a revoked key for too long', { revocations: { ...measurement.revocations, maxAcceptedMs: 5001 } }, {}],
  ['never answering a revocation', { revocations: { ...measurement.revocations, answered: 1 } }, {}],
  ['serving more than a cap', { caps: [{ ...measurement.caps[0]!, producedNanos: 1001 }] }, {}],
  ['charging more than a cap', { caps: [{ ...measurement.caps[0]!, chargedNanos: 1001 }] }, {}],
  [
    'serving more than the cap plus the unknown spend',
    { caps: [{ ...measurement.caps[0]!, producedNanos: 1101, unknownNanos: 100 }] },
    { redisLosesData: true }
  ],
  ['serving without charging', { charged: { ...charged, nanos: 4999 } }, {}],
  ['losing more than the uncopied usage', { charged: { ...charged, nanos: 4799 }, uncopied }, { redisLosesData: true }],
  ['charging more than was served', { charged: { ...charged, nanos: 5001 } }, {}],
  [
    'charging more than the served and estimated cost',
    { charged: { ...charged, nanos: 6000, estimatedRequests: 1, estimatedNanos: 999 } },
    { gatewaysDie: true }
  ],
  ['charging a request that was never sent', { produced: { ...produced, requests: 9 } }, {}],
  ['estimating a known usage', { charged: { ...charged, estimatedRequests: 1 } }, {}],
  [
    'refusing without a reason',
    { falseRefusals: new Map([['401 invalid_api_key', 1]]) },
    { refusals: ['401 invalid_api_key'] }
  ],
  ['charging without a receipt', { receipts: { ...receipts, missing: 2, dropped: 1 } }, {}],
  ['a receipt without a charge', { receipts: { ...receipts, extra: 1 } }, {}],
  ['a receipt with another cost', { receipts: { ...receipts, differing: 1 } }, {}],
  ['two receipts of a request', { receipts: { ...receipts, repeated: 1 }, uncopied }, { redisLosesData: true }],
  ['an answer without a receipt', { receipts: { ...receipts, unlogged: 1 } }, {}],
  [
    'losing more receipts than Redis had uncopied',
    { receipts: { ...receipts, missing: 4 }, uncopied },
    { redisLosesData: true }
  ],
  [
    'losing more usage than Redis had uncopied, but not more receipts',
    { receipts: { ...receipts, extra: 2 }, uncopied },
    { redisLosesData: true }
  ],
  ['losing receipts in a fault that must lose none', { receipts: { ...receipts, missing: 1 }, uncopied }, {}],
  [
    'copying usage too late',
    { uncopied: { ...uncopied, usage: { ...uncopied.usage, behindMs: 2001 } } },
    { redisLosesData: true }
  ],
  [
    'copying receipts too late',
    { uncopied: { ...uncopied, receipts: { ...uncopied.receipts, behindMs: 2001 } } },
    { redisLosesData: true }
  ],
  ['no notice', { messages: { ...messages, notices: { expected: 5, missing: 1, repeated: 0 } } }, {}],
  ['a second notice', { messages: { ...messages, notices: { expected: 5, missing: 0, repeated: 1 } } }, {}],
  ['no mail', { messages: { ...messages, mails: { expected: 5, missing: 1, repeated: 0 } } }, {}],
  [
    'more second mails than lost answers',
    { messages: { ...messages, mails: { expected: 5, missing: 0, repeated: 2 } } },
    { mailsRepeated: 1 }
  ],
  ['no webhook', { messages: { ...messages, webhooks: { expected: 20, missing: 1, repeated: 0 } } }, {}],
  ['a changed webhook', { messages: { ...messages, wrongWebhooks: 1 } }, {}],
  ['losing a key', { lost: ['a key'] }, { redisLosesData: true }],
  ['an unexpected answer', { raw: new Map([[unavailable, 1]]) }, {}],
  [
    'a failure despite retries',
    { sdk: new Map([[unavailable, 1]]) },
    { retriesSucceed: true, refusals: [unavailable] }
  ],
  ['recovering too slowly', { recoveredMs: 5001 }, {}],
  ['a broken promise that the fault itself reports', { findings: { seen: [], broken: ['a promise'] } }, {}]
]
for (const [name, change, allowed] of broken) {
  t.test(`${name} breaks one promise`, async () => {
    const lines = findBrokenPromises({ ...measurement, ...change }, allowed)
    assert.equal(lines.length, 1, lines.join('; '))
  })
}

t.test('an effect that the fault allows breaks no promise', async () => {
  const overCap = { caps: [{ capNanos: 1000, producedNanos: 1100, chargedNanos: 1100, unknownNanos: 100 }] }
  assert.deepEqual(
    findBrokenPromises(
      { ...measurement, ...overCap, charged: { ...charged, nanos: 4800 }, uncopied },
      { redisLosesData: true }
    ),
    []
  )
  const estimated = { charged: { ...charged, requests: 11, nanos: 6000, estimatedRequests: 2, estimatedNanos: 1500 } }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...estimated }, { gatewaysDie: true }), [])
  assert.deepEqual(
    findBrokenPromises({ ...measurement, raw: new Map([[unavailable, 9]]) }, { refusals: [unavailable] }),
    []
  )
  const leftEstimated = { ...charged, nanos: 6000, estimatedRequests: 1, estimatedNanos: 1500 }
  assert.deepEqual(findBrokenPromises({ ...measurement, charged: leftEstimated }, { clientsHangUp: true }), [])
  assert.deepEqual(findBrokenPromises({ ...measurement, charged: leftEstimated }, { redisLosesData: true }), [])
  const lostReceipts = { receipts: { ...receipts, missing: 2, extra: 1, unlogged: 3 }, uncopied }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...lostReceipts }, { redisLosesData: true }), [])
  const dropped = { receipts: { ...receipts, missing: 2, unlogged: 2, dropped: 2 } }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...dropped }, {}), [])
  const secondMail = { messages: { ...messages, mails: { expected: 5, missing: 0, repeated: 1 } } }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...secondMail }, { mailsRepeated: 1 }), [])
  const revived = { revocations: { ...measurement.revocations, maxAcceptedMs: 7000 } }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...revived }, { revokedMs: 7000 }), [])
  const inTwoMonths = { caps: [{ ...measurement.caps[0]!, producedNanos: 2000, chargedNanos: 2000 }] }
  assert.deepEqual(findBrokenPromises({ ...measurement, ...inTwoMonths }, { months: 2 }), [])
  assert.deepEqual(findBrokenPromises({ ...measurement, recoveredMs: 14_000 }, { recoveryMs: 15_000 }), [])
})

t.test('after this process stalled, times are ignored and all other promises still count', async () => {
  const late = {
    ...measurement,
    stalledMs: 2000,
    recoveredMs: 60_000,
    sdk: new Map([[unavailable, 1]]),
    raw: new Map([[unavailable, 1]])
  }
  assert.deepEqual(findBrokenPromises(late, { retriesSucceed: true }), [])
  assert.equal(findBrokenPromises({ ...late, lost: ['a key'], falseRefusals: new Map([['402', 1]]) }, {}).length, 2)
})
