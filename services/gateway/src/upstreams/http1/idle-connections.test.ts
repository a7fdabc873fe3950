import assert from 'node:assert/strict'
import t from 'tap'
import { enoughIdle, type Idle, IdleConnections, type IdleState } from './idle-connections.ts'

class Fake implements Idle {
  idleSince: number
  idleUntil: number
  idleTurn = 0
  earlier: Idle | null = null
  later: Idle | null = null
  state: IdleState = 'in use'
  isClosed = false
  readonly #idle: IdleConnections<Fake>

  constructor(idle: IdleConnections<Fake>, idleSince: number, idleUntil = Number.POSITIVE_INFINITY) {
    this.#idle = idle
    this.idleSince = idleSince
    this.idleUntil = idleUntil
    idle.add(this)
  }

  close(): void {
    this.isClosed = true
    this.#idle.remove(this)
  }
}

t.test('the oldest connection is used first, after its minimum rest', async () => {
  const idle = new IdleConnections<Fake>(10)
  const [first, second, third] = [new Fake(idle, 0), new Fake(idle, 1), new Fake(idle, 2)]
  assert.equal(idle.take(100), null, 'not in the turn in which it became idle, even if the turn is long')
  idle.endTurn()
  assert.equal(idle.take(9), null)
  assert.equal(idle.take(10), first)
  assert.equal(idle.take(10), null)
  second.close()
  assert.equal(idle.take(12), third)
  assert.equal(idle.take(100), null)
})

t.test('with many idle connections, the oldest rests for only one turn', async () => {
  const idle = new IdleConnections<Fake>(10)
  const all = Array.from({ length: enoughIdle }, () => new Fake(idle, 0))
  assert.equal(idle.take(1), null, 'not in the turn in which it became idle')
  idle.endTurn()
  assert.equal(idle.take(1), all[0])
  assert.equal(idle.take(1), null, 'too few are left')
})

t.test('a connection that the upstream may have closed is closed, not reused', async () => {
  const idle = new IdleConnections<Fake>(0)
  const old = new Fake(idle, 0, 50)
  const fresh = new Fake(idle, 0, 51)
  idle.endTurn()
  assert.equal(idle.take(50), fresh)
  assert.ok(old.isClosed)
})

t.test('a spare connection is kept for four seconds at most, however long the upstream keeps it', async () => {
  const idle = new IdleConnections<Fake>(10)
  const all = Array.from({ length: enoughIdle + 2 }, () => new Fake(idle, 100))
  idle.endTurn()
  idle.endTurn()
  const times = all.map(({ idleUntil }) => idleUntil)
  assert.deepEqual(times.slice(0, 3), [4100, 4100, Number.POSITIVE_INFINITY])
})

t.test('surplus connections become spare, and the last one to become spare is used first', async () => {
  const idle = new IdleConnections<Fake>(10)
  const all = Array.from({ length: enoughIdle + 3 }, () => new Fake(idle, 0))
  idle.endTurn()
  idle.endTurn()
  const used = [idle.take(1), idle.take(1), idle.take(1), idle.take(1)]
  assert.deepEqual(
    used.map((connection) => all.indexOf(connection!)),
    [3, 2, 1, 0],
    'resting ones from the oldest until too few rest, then spare ones'
  )
  assert.equal(idle.take(1), null, 'all others must rest longer')
  assert.equal(idle.take(10), all[4])
})

t.test('under steady load the same connections are used in rotation, and the others expire', async () => {
  const idle = new IdleConnections<Fake>(10)
  const all = Array.from({ length: 64 }, () => new Fake(idle, 0))
  idle.endTurn()
  const used = new Set<Fake>()
  for (let now = 1; now < 100; now++) {
    const busy = [idle.take(now)!, idle.take(now)!, idle.take(now)!, idle.take(now)!]
    for (const one of busy) {
      used.add(one)
      one.idleSince = now
      idle.add(one)
    }
    idle.endTurn()
  }
  assert.ok(used.size <= enoughIdle + 8, `${used.size} are used`)
  for (const one of all.filter((one) => !used.has(one))) one.close()
  assert.ok(idle.take(200), 'connections in use stay usable')
})

t.test('a closed connection is not used, whether it was resting or spare', async () => {
  const idle = new IdleConnections<Fake>(0)
  const all = Array.from({ length: enoughIdle + 2 }, () => new Fake(idle, 0))
  idle.endTurn()
  idle.endTurn()
  all[1]!.close()
  all[2]!.close()
  all.at(-1)!.close()
  const left = new Set(all.filter(({ isClosed }) => !isClosed))
  for (let taken = idle.take(1); taken !== null; taken = idle.take(1)) assert.ok(left.delete(taken))
  assert.equal(left.size, 0)
})
