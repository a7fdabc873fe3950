import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName, accountShard, uncopiedName, usageIndexName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { parseUsage, readHour, type Usage } from '@tollgate/state/usage/usage.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { type Agent, createWorld, type Ending, type World } from '../projection/testing/world.ts'
import { serve } from './testing/serve.ts'
import { copyRound } from './usage-copier.ts'

const accounts = ['6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', '0b6b7f3e-55c4-4f0a-8d3a-3f1c7f2d9a22']
const shards = accounts.map(accountShard)
/** The maximum number of replicas at once. */
const maxRounds = 3

type Action =
  | { do: 'step'; pick: number; ending: Ending }
  | { do: 'serve'; account: number; key: number; costNanos: number }
  | { do: 'round' | 'wholeRound' | 'hour' | 'flush' | 'dump' | 'crash' | 'backup' | 'notice' }
  | { do: 'restart'; from: 'present' | 'dump' | 'nothing' }
  | { do: 'restore' }

const ending = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Ending>('done') },
  { weight: 1, arbitrary: fc.constantFrom<Ending>('lost', 'unheard') }
)
const account = fc.nat({ max: 1 })
const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 24, arbitrary: fc.record({ do: fc.constant('step'), pick: fc.nat({ max: 50 }), ending }) },
    {
      weight: 12,
      // A correction takes back an earlier charge.
      arbitrary: fc.record({
        do: fc.constant('serve'),
        account,
        key: account,
        costNanos: fc.integer({ min: -5, max: 20 })
      })
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('round', 'round', 'wholeRound') }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('hour') }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('flush', 'dump', 'crash', 'backup', 'notice') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('restart'), from: fc.constantFrom('present', 'dump', 'nothing') })
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restore') }) }
  ) as fc.Arbitrary<Action>,
  { minLength: 20, maxLength: 150, size: 'max' }
)

/** All states of a row by revision, and the latest revision that must reach the ledger. Lost ones need not. */
interface History {
  states: Map<number, Usage>
  kept: number
}

/** Remembers what was counted, and which revisions must still reach the ledger. */
function watch(world: World, link: RedisNode) {
  const histories = new Map<string, History>()
  const idOf = ({ name, run }: Usage) => `${name} ${run}`

  async function present(): Promise<Map<string, Usage>> {
    const usages = await Promise.all(
      accounts.map(async (of) => {
        const fields = Object.entries(await link.client.hgetallBuffer(accountName(of)))
        return fields.flatMap(([field, row]) => (field.startsWith('u:') ? parseUsage(of + field.slice(1), row) : []))
      })
    )
    return new Map(usages.flat().map((usage) => [idOf(usage), usage]))
  }

  const stored = ({ account: of, hour, run, key, model }: Usage) =>
    world.state.ledger.get([of, hour, run, key, model].join('|'))

  return {
    present,

    async served(): Promise<void> {
      for (const [id, usage] of await present()) {
        const history = histories.get(id) ?? { states: new Map(), kept: 0 }
        histories.set(id, history)
        if (!history.states.has(usage.revision)) {
          history.states.set(usage.revision, usage)
          history.kept = usage.revision
        }
      }
    },

    /** After Redis or PostgreSQL lost something: revisions that neither of them has cannot reach the ledger. */
    async lost(): Promise<void> {
      const left = await present()
      for (const [id, history] of histories) {
        if (history.kept === 0) continue
        const inLedger = stored(history.states.get(history.kept)!)?.revision ?? 0
        history.kept = Math.min(history.kept, Math.max(left.get(id)?.revision ?? 0, inLedger))
      }
    },

    /** Rows removed from Redis must be in the ledger, and each row of the ledger must equal a counted state. */
    async check(areAllCopied: boolean): Promise<void> {
      const left = await present()
      for (const [id, { states, kept }] of histories) {
        if (kept === 0) continue
        const row = stored(states.get(kept)!)
        if (areAllCopied || !left.has(id)) {
          assert.ok(row !== undefined, `${id} is not in the ledger`)
          assert.ok(row.revision >= kept, `${id} is in the ledger as of ${row.revision}`)
        }
        if (row === undefined) continue
        const { name: _name, run: _run, born: _born, ...counters } = states.get(row.revision)!
        assert.deepEqual(row, counters, `${id} was never counted like this`)
      }
    }
  }
}

async function play(script: Action[], link: RedisNode): Promise<void> {
  const { client } = link
  await client.flushall()
  const world = createWorld(link)
  const watcher = watch(world, link)
  let rounds = 0
  let dump: Awaited<ReturnType<World['dump']>> = new Map()
  let backup = structuredClone(world.state)

  async function round({ redis, source }: Agent): Promise<void> {
    rounds++
    await copyRound(source.ledger, redis, 0, { shards }).catch(() => undefined)
    rounds--
  }
  async function wholeRound(): Promise<void> {
    const agent = world.agent()
    const copying = round(agent)
    await agent.settle()
    await copying
  }
  /** As if everything in Redis had become final. Later requests are still counted. */
  async function passHours(): Promise<void> {
    const hour = await readHour(link)
    for (const of of accounts) {
      const name = usageIndexName(accountShard(of))
      for (const row of await client.zrange(name, '0', '-1')) await client.zadd(name, hour, row)
    }
  }
  function crash(): void {
    world.crashAll()
    rounds = 0
  }

  async function act(action: Action): Promise<void> {
    switch (action.do) {
      case 'step':
        return world.step(action.pick, action.ending)
      case 'serve':
        await serve(
          { ...link, run: () => world.run() },
          accounts[action.account]!,
          { key: `key_${action.key}`, costNanos: Math.max(0, action.costNanos) },
          Math.max(0, -action.costNanos)
        )
        return watcher.served()
      case 'round':
        if (rounds < maxRounds) void round(world.agent())
        return
      case 'wholeRound':
        return wholeRound()
      case 'hour':
        return passHours()
      case 'flush':
        await client.flushall()
        return watcher.lost()
      case 'dump':
        dump = await world.dump()
        return
      case 'crash':
        return crash()
      case 'backup':
        backup = structuredClone(world.state)
        return
      case 'notice':
        return notice()
      case 'restart':
        await world.restart(action.from === 'present' ? await world.dump() : action.from === 'dump' ? dump : new Map())
        return watcher.lost()
      case 'restore':
        crash()
        world.state = { ...structuredClone(backup), epoch: world.state.epoch, ledgerEpoch: backup.ledgerEpoch }
        isRestored = true
        return watcher.lost()
    }
  }
  let isRestored = false
  function notice(): void {
    if (isRestored) world.state.epoch++
    isRestored = false
  }

  for (const action of script) {
    await act(action)
    await watcher.check(false)
  }
  while (world.waiting() > 0) {
    await world.step(0, 'done')
    await watcher.check(false)
  }
  notice()
  await wholeRound()
  await watcher.check(true)
  assert.equal(await client.exists(...shards.map(uncopiedName)), 0)
  await passHours()
  await wholeRound()
  await watcher.check(true)
  assert.equal(await client.exists(...shards.map(usageIndexName)), 0)
  assert.equal((await watcher.present()).size, 0)
}

test('each served request is in the ledger exactly once, unless both Redis and PostgreSQL lost it', async (t) => {
  const program = findRedisServer(process.env)
  if (!need(t, 'redis-server', program)) return
  const server = await leaseRedis({ program })
  const link = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: (error) => t.error(error) })
  t.after(async () => {
    await link.close()
    await server.giveBack()
  })
  await link.ready()
  await fc.assert(
    fc.asyncProperty(actions, (script) => play(script, link)),
    propertyRuns(8, 40)
  )
})
