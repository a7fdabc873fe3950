import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import t from 'tap'
import { NameCache } from './cached-lookup.ts'

/** A name server with one name, whose clock the test moves. */
function createNames(ttl: () => Promise<number>) {
  const world = { now: 0, asked: 0, addresses: [{ address: '192.0.2.1', family: 4 }] as LookupAddress[], isAway: false }
  const names = new NameCache(
    {
      addresses(_name, found) {
        world.asked++
        const error = world.isAway ? Object.assign(new Error('away'), { code: 'EAI_AGAIN' }) : null
        setImmediate(found, error, error === null ? world.addresses : [])
      },
      ttl
    },
    () => world.now
  )
  const find = (options: object = { all: true }) =>
    new Promise<unknown>((resolve, reject) => {
      names.lookup('upstream.example', options, (error, found) => (error === null ? resolve(found) : reject(error)))
    })
  return { world, names, find }
}

t.test('an address is used for its TTL, and at most a minute', async () => {
  for (const [ttl, usedMs] of [
    [30, 30_000],
    [3600, 60_000],
    [0, 0]
  ] as const) {
    const { world, find } = createNames(async () => ttl)
    await find()
    if (usedMs > 0) {
      world.now = usedMs - 1
      assert.deepEqual(await find(), world.addresses)
      assert.equal(world.asked, 1, `TTL ${ttl} s`)
    }
    world.now = usedMs
    await find()
    assert.equal(world.asked, 2, `TTL ${ttl} s`)
  }
})

t.test('an address whose TTL nobody knows is used for five seconds', async () => {
  const { world, find } = createNames(() => Promise.reject(new Error('not in DNS')))
  await find()
  world.now = 4999
  await find()
  assert.equal(world.asked, 1)
  world.now = 5000
  await find()
  assert.equal(world.asked, 2)
})

t.test('connections that open at once share a look-up; a failed one is not remembered', async () => {
  const { world, find } = createNames(async () => 60)
  world.isAway = true
  const failed = await Promise.allSettled([find(), find(), find()])
  assert.ok(failed.every(({ status }) => status === 'rejected'))
  assert.equal(world.asked, 1)
  world.isAway = false
  await find()
  assert.equal(world.asked, 2)
})

t.test('after a failed connection, the name is looked up again', async () => {
  const { world, names, find } = createNames(async () => 60)
  await find()
  names.forget('upstream.example')
  world.addresses = [{ address: '192.0.2.2', family: 4 }]
  assert.deepEqual(await find(), world.addresses)
})

t.test('it answers like dns.lookup: all addresses, the first, or those of a family', async () => {
  const { world, find } = createNames(async () => 60)
  world.addresses = [
    { address: '2001:db8::1', family: 6 },
    { address: '192.0.2.1', family: 4 }
  ]
  assert.equal(await find({}), '2001:db8::1')
  assert.equal(await find({ family: 4 }), '192.0.2.1')
  assert.deepEqual(await find({ all: true, family: 6 }), [world.addresses[0]])
  world.addresses = []
  world.now = 61_000
  await assert.rejects(find(), { code: 'ENOTFOUND' })
})
