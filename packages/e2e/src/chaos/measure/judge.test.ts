import t from 'tap'
import { type Allowed, judge } from './judge.ts'
import type { Measured } from './measurement.ts'

/** Everything as it should be. */
const kept: Measured = {
  fault: 'none',
  brokenMs: 1000,
  revocations: { count: 2, answered: 2, longestAcceptedMs: 0 },
  caps: [{ capNanos: 1000, producedNanos: 900, chargedNanos: 900, unknownNanos: 0 }],
  produced: { requests: 10, nanos: 5000, finishedNanos: 5000 },
  charged: { requests: 10, failed: 0, nanos: 5000, estimatedRequests: 0, estimatedNanos: 0 },
  uncopiedNanos: 0,
  falseRefusals: new Map(),
  lost: [],
  raw: new Map([['200', 50]]),
  sdk: new Map([['200', 50]]),
  stalledMs: 30,
  healedMs: 0,
  findings: { seen: [], broken: [] }
}
const { charged, produced } = kept

t.test('what is as it should be breaks no promise', async (t) => {
  t.same(judge(kept, {}), [])
})

const away = '503 state_unavailable'
const broken: ReadonlyArray<[name: string, change: Partial<Measured>, allowed: Allowed]> = [
  ['a revoked key that lives on', { revocations: { ...kept.revocations, longestAcceptedMs: 5001 } }, {}],
  ['a revocation that is never answered', { revocations: { ...kept.revocations, answered: 1 } }, {}],
  ['serving more than a cap', { caps: [{ ...kept.caps[0]!, producedNanos: 1001 }] }, {}],
  ['charging more than a cap', { caps: [{ ...kept.caps[0]!, chargedNanos: 1001 }] }, {}],
  [
    'serving more than a cap and what was unknown',
    { caps: [{ ...kept.caps[0]!, producedNanos: 1101, unknownNanos: 100 }] },
    { redisForgets: true }
  ],
  ['serving what is not charged', { charged: { ...charged, nanos: 4999 } }, {}],
  [
    'losing more than was not copied',
    { charged: { ...charged, nanos: 4800 }, uncopiedNanos: 199 },
    { redisForgets: true }
  ],
  ['charging what was not served', { charged: { ...charged, nanos: 5001 } }, {}],
  [
    'charging more than was served and estimated',
    { charged: { ...charged, nanos: 6000, estimatedRequests: 1, estimatedNanos: 999 } },
    { gatewaysDie: true }
  ],
  ['charging a request that was never sent', { produced: { ...produced, requests: 9 } }, {}],
  ['estimating where all is known', { charged: { ...charged, estimatedRequests: 1 } }, {}],
  [
    'refusing without reason',
    { falseRefusals: new Map([['401 invalid_api_key', 1]]) },
    { refusals: ['401 invalid_api_key'] }
  ],
  ['losing a key', { lost: ['a key'] }, { redisForgets: true }],
  ['an answer that was not to be expected', { raw: new Map([[away, 1]]) }, {}],
  ['a failure where clients try again', { sdk: new Map([[away, 1]]) }, { bridged: true, refusals: [away] }],
  ['healing for too long', { healedMs: 5001 }, {}],
  ['what a fault itself finds broken', { findings: { seen: [], broken: ['a promise'] } }, {}]
]
for (const [name, change, allowed] of broken) {
  t.test(`${name} breaks one promise`, async (t) => {
    const lines = judge({ ...kept, ...change }, allowed)
    t.equal(lines.length, 1, lines.join('; '))
  })
}

t.test('what a fault may do breaks none', async (t) => {
  const overCap = { caps: [{ capNanos: 1000, producedNanos: 1100, chargedNanos: 1100, unknownNanos: 100 }] }
  const uncopied = { charged: { ...charged, nanos: 4800 }, uncopiedNanos: 200 }
  t.same(judge({ ...kept, ...overCap, ...uncopied }, { redisForgets: true }), [])
  const estimated = { charged: { ...charged, requests: 11, nanos: 6000, estimatedRequests: 2, estimatedNanos: 1500 } }
  t.same(judge({ ...kept, ...estimated }, { gatewaysDie: true }), [])
  t.same(judge({ ...kept, raw: new Map([[away, 9]]) }, { refusals: [away] }), [])
  const leftEstimated = { ...charged, nanos: 6000, estimatedRequests: 1, estimatedNanos: 1500 }
  t.same(judge({ ...kept, charged: leftEstimated }, { clientsLeave: true }), [])
  t.same(judge({ ...kept, charged: leftEstimated }, { redisForgets: true }), [])
  const revived = { revocations: { ...kept.revocations, longestAcceptedMs: 7000 } }
  t.same(judge({ ...kept, ...revived }, { revokedMs: 7000 }), [])
  const inTwoMonths = { caps: [{ ...kept.caps[0]!, producedNanos: 2000, chargedNanos: 2000 }] }
  t.same(judge({ ...kept, ...inTwoMonths }, { months: 2 }), [])
  t.same(judge({ ...kept, healedMs: 14_000 }, { healMs: 15_000 }), [])
})

t.test('where this process itself stood still, times are not judged, and everything else is', async (t) => {
  const late = { ...kept, stalledMs: 2000, healedMs: 60_000, sdk: new Map([[away, 1]]), raw: new Map([[away, 1]]) }
  t.same(judge(late, { bridged: true }), [])
  t.equal(judge({ ...late, lost: ['a key'], falseRefusals: new Map([['402', 1]]) }, {}).length, 2)
})
