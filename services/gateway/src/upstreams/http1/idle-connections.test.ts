import t from 'tap'
import { enoughIdle, type Idle, IdleConnections } from './idle-connections.ts'

class Fake implements Idle {
  idleSince: number
  idleUntil: number
  idleTurn = 0
  earlier: Idle | null = null
  later: Idle | null = null
  isIdle = false
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

t.test('the oldest connection is taken first, and only after its rest', (t) => {
  const idle = new IdleConnections<Fake>(10)
  const [first, second, third] = [new Fake(idle, 0), new Fake(idle, 1), new Fake(idle, 2)]
  t.equal(idle.take(100), null, 'not in the turn in which it became idle, however long that lasts')
  idle.endTurn()
  t.equal(idle.take(9), null)
  t.equal(idle.take(10), first)
  t.equal(idle.take(10), null)
  second.close()
  t.equal(idle.take(12), third)
  t.equal(idle.take(100), null)
  t.end()
})

t.test('with many idle connections, the oldest rests for one turn only', (t) => {
  const idle = new IdleConnections<Fake>(10)
  const all = Array.from({ length: enoughIdle }, () => new Fake(idle, 0))
  t.equal(idle.take(1), null, 'not in the turn in which it became idle')
  idle.endTurn()
  t.equal(idle.take(1), all[0])
  t.equal(idle.take(1), null, 'fewer are left')
  t.end()
})

t.test('connections that the upstream may have closed are closed instead of reused', (t) => {
  const idle = new IdleConnections<Fake>(0)
  const old = new Fake(idle, 0, 50)
  const fresh = new Fake(idle, 0, 51)
  idle.endTurn()
  t.equal(idle.take(50), fresh)
  t.ok(old.isClosed)
  t.end()
})

t.test('half of the unneeded connections are closed, the oldest first, and the last one stays', (t) => {
  const idle = new IdleConnections<Fake>(0)
  const all = Array.from({ length: 10 }, () => new Fake(idle, 0))
  const left = () => all.filter(({ isClosed }) => !isClosed).length
  idle.closeSpare()
  t.equal(left(), 10, 'they have only come')
  idle.endTurn()
  const used = [idle.take(1)!, idle.take(1)!]
  for (const one of used) idle.add(one)
  idle.closeSpare()
  t.equal(left(), 6, 'half of the eight that stayed idle')
  for (let times = 0; times < 5; times++) idle.closeSpare()
  t.equal(left(), 1)
  t.ok(used.some(({ isClosed }) => !isClosed))
  t.end()
})
