import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { slotCount } from '../keyspace/names.ts'
import { type Claim, mergeClaims, readClusterNodes } from './cluster-view.ts'

const address = { host: 'seed', port: 7000 }

test('all masters with slots are read from the answer of a node, whatever the form of their addresses', async () => {
  const answer = [
    'aa 10.0.0.1:7001@17001 myself,master - 0 0 4 connected 0-99 7 [93->-bb] [77-<-cc]',
    'bb 10.0.0.2:7002@17002,redis-2.internal master,fail - 0 1 5 disconnected 100-16383',
    'cc ::1:7003@17003, master - 0 1 6 connected 5',
    'dd 10.0.0.4:7004@17004 slave aa 0 1 4 connected',
    'ee :0@0 master,noaddr - 0 1 1 disconnected 9',
    'ff 10.0.0.5:7005@17005 master - 0 1 0 connected',
    ''
  ].join('\n')
  assert.deepEqual(readClusterNodes(answer, address), [
    {
      id: 'aa',
      host: '10.0.0.1',
      port: 7001,
      slots: [
        [0, 99],
        [7, 7]
      ],
      epoch: 4,
      isOwn: true
    },
    { id: 'bb', host: 'redis-2.internal', port: 7002, slots: [[100, 16_383]], epoch: 5, isOwn: false },
    { id: 'cc', host: '::1', port: 7003, slots: [[5, 5]], epoch: 6, isOwn: false }
  ])
})

test('a node without an address of its own gets the address that was asked', async () => {
  const [claim] = readClusterNodes('aa :7001@17001 myself,master - 0 0 1 connected 0-5', address)
  assert.deepEqual([claim?.host, claim?.port], ['seed', 7001])
})

const slot = fc.integer({ min: 0, max: slotCount - 1 })
const claims = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    host: fc.constantFrom('one', 'two', 'three'),
    port: fc.constantFrom(1, 2),
    slots: fc.array(
      fc.tuple(slot, slot).map(([one, other]): [number, number] => [Math.min(one, other), Math.max(one, other)]),
      { minLength: 1, maxLength: 3 }
    ),
    epoch: fc.nat({ max: 5 }),
    isOwn: fc.boolean()
  }) satisfies fc.Arbitrary<Claim>,
  { maxLength: 6 }
)

test('each slot has at most one master: a master that claims it with the highest epoch', async () => {
  const property = fc.property(fc.array(claims, { maxLength: 3 }), fc.array(slot), (views, slots) => {
    const masters = mergeClaims(views)
    for (const one of slots) {
      const covers = ({ slots: ranges }: Pick<Claim, 'slots'>) =>
        ranges.some(([first, last]) => first <= one && one <= last)
      const claimed = views.flat().filter(covers)
      const serving = masters.filter(covers)
      assert.equal(serving.length, Math.min(1, claimed.length))
      const highest = Math.max(...claimed.map(({ epoch }) => epoch))
      for (const { host, port } of serving) {
        assert.ok(claimed.some((claim) => claim.host === host && claim.port === port && claim.epoch === highest))
      }
    }
  })
  fc.assert(property)
})

test('the order in which nodes answer does not matter', async () => {
  fc.assert(
    fc.property(claims, claims, (one, other) => {
      const distinct = new Map([...one, ...other].map((claim) => [`${claim.id} ${claim.epoch} ${claim.isOwn}`, claim]))
      const views = [...distinct.values()].map((claim) => [claim])
      assert.deepEqual(mergeClaims(views), mergeClaims(views.toReversed()))
    })
  )
})
