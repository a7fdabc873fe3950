import assert from 'node:assert/strict'
import { type KeyRecord, readAccountRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { changeOf, epochOf } from '@tollgate/contracts/records/version.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { type ConfirmAnswer, confirmRecords } from '@tollgate/state/admission/confirm.ts'
import { accountShard, monthNumber, pointerName, type Shard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { sweepTombstones } from '@tollgate/state/projection/sweep-tombstones.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { readMarker } from '@tollgate/state/testing/redis-content.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { ledgerSpends } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyUsage } from '../usage/usage-copier.ts'
import { type PassResult, runPass } from './projection-pass.ts'
import {
  isLongDead,
  type MemoryAccount,
  type MemoryKey,
  type MemoryState,
  recordMemoryChange
} from './testing/memory-source.ts'
import { type Agent, createWorld, type Ending, type World } from './testing/world.ts'
import { writeDirectly } from './write-directly.ts'

// Two accounts and two shards of secrets cover all ways in which shards can affect each other.
const accounts = ['6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', '0b6b7f3e-55c4-4f0a-8d3a-3f1c7f2d9a22']
const accountShards = accounts.map(accountShard)
const secretShards: Shard[] = ['k00', 'k01']
const interesting = new Set<Shard>([...accountShards, ...secretShards])
const endless = new AbortController().signal

/** Whether a change is written directly: not at all, only begun, or completed at once. */
type DirectWrite = 'no' | 'begin' | 'whole'

type Action =
  | { do: 'step'; pick: number; ending: Ending }
  | { do: 'pass' | 'wholePass' | 'copy' | 'wholeCopy' }
  | { do: 'serve'; account: number; key: number }
  | { do: 'create' | 'plan'; account: number; write: DirectWrite }
  | { do: 'revoke' | 'edit'; key: number; write: DirectWrite }
  | { do: 'write'; key: number }
  | { do: 'month' | 'flush' | 'dump' | 'crash' | 'backup' }
  /** Redis sweeps tombstones, its pointers of ended secrets expire, and PostgreSQL deletes long revoked keys. */
  | { do: 'sweep' | 'wholeSweep' | 'expire' | 'purge' }
  | { do: 'restart'; from: 'present' | 'dump' | 'nothing' }
  | { do: 'restore'; redis: 'same' | 'present' | 'dump' | 'nothing' }

const write = fc.constantFrom<DirectWrite>('no', 'begin', 'whole', 'whole')
const key = fc.nat({ max: 20 })
const account = fc.nat({ max: 1 })
const from = fc.constantFrom('present', 'dump', 'nothing')
const ending = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Ending>('done') },
  { weight: 1, arbitrary: fc.constantFrom<Ending>('lost', 'unheard') }
)
const whole = fc.constantFrom('pass', 'wholePass', 'wholePass')
const event = fc.constantFrom('month', 'flush', 'flush', 'dump', 'dump', 'crash', 'backup', 'backup')
const anything: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 24, arbitrary: fc.record({ do: fc.constant('step'), pick: fc.nat({ max: 50 }), ending }) },
    { weight: 7, arbitrary: fc.record({ do: whole }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('copy', 'wholeCopy') }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant('serve'), account, key: fc.nat({ max: 1 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('create', 'create', 'plan'), account, write }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('revoke', 'revoke', 'edit'), key, write }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('write'), key }) },
    { weight: 8, arbitrary: fc.record({ do: event }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('sweep', 'wholeSweep', 'wholeSweep', 'expire', 'purge') })
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restart'), from }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restore'), redis: fc.oneof(fc.constant('same'), from) }) }
  ) as fc.Arbitrary<Action>,
  { minLength: 20, maxLength: 120, size: 'max' }
)

/** Accounts with requests, so that there is spend to lose. */
const someAccounts: Action[] = [
  { do: 'create', account: 0, write: 'whole' },
  { do: 'create', account: 1, write: 'whole' },
  { do: 'wholePass' },
  { do: 'backup' }
]
const actions = fc
  .tuple(fc.constantFrom([], someAccounts), anything)
  .map(([beginning, rest]): Action[] => [...beginning, ...rest])

/** Cases that once failed. */
const regressions: Action[][] = [
  // A key that Redis may forget is alive in the backup.
  [
    { do: 'create', account: 0, write: 'no' },
    { do: 'create', account: 0, write: 'no' },
    { do: 'backup' },
    { do: 'revoke', key: 0, write: 'begin' },
    { do: 'month' },
    { do: 'wholePass' },
    { do: 'step', pick: 0, ending: 'done' },
    { do: 'step', pick: 0, ending: 'done' },
    { do: 'restore', redis: 'same' }
  ],
  // A dump has a live key that was revoked afterwards, and deleted from PostgreSQL.
  [
    ...someAccounts,
    { do: 'create', account: 0, write: 'whole' },
    { do: 'wholePass' },
    { do: 'dump' },
    { do: 'revoke', key: 0, write: 'whole' },
    { do: 'wholePass' },
    { do: 'wholeSweep' },
    { do: 'month' },
    { do: 'purge' },
    { do: 'restart', from: 'dump' },
    { do: 'wholePass' }
  ],
  // The same backup is restored a second time, after the tombstone was swept again.
  [
    ...someAccounts,
    { do: 'create', account: 0, write: 'whole' },
    { do: 'wholePass' },
    { do: 'backup' },
    { do: 'revoke', key: 2, write: 'whole' },
    { do: 'wholePass' },
    { do: 'wholeSweep' },
    { do: 'restore', redis: 'same' },
    { do: 'wholePass' },
    { do: 'wholePass' },
    { do: 'wholeSweep' },
    { do: 'restore', redis: 'same' },
    { do: 'wholePass' },
    { do: 'wholePass' }
  ],
  // An earlier state of a key arrives after its tombstone was swept.
  [
    ...someAccounts,
    { do: 'create', account: 0, write: 'whole' },
    { do: 'write', key: 0 },
    { do: 'step', pick: 0, ending: 'done' },
    { do: 'revoke', key: 0, write: 'whole' },
    { do: 'wholePass' },
    { do: 'wholeSweep' },
    { do: 'step', pick: 0, ending: 'done' }
  ]
]

/** Checks the promises of the projection while it works. */
function watch(world: World, link: RedisNode) {
  const gateway: RedisNode = { ...link, run: () => world.run() }
  const created: Array<{ id: string; account: string; digest: string }> = []
  /** Keys with a state that Redis has acknowledged, and keys with an acknowledged revocation. */
  const written = new Set<string>()
  const acknowledged = new Set<string>()
  /** Keys whose record Redis had. */
  const inRedis = new Set<string>()
  /** Keys that were charged before Redis had their record: their own spend may be missing. */
  const chargedEarly = new Set<string>()
  /** Accounts that PostgreSQL lost: it is not promised that their spend returns. */
  const lostAccounts = new Set<string>()
  /**
   * Whether Redis lost data during a copy. Rows read by then may reach the ledger after the spend was seeded.
   * Then the spend lacks usage of the last moments. No promise covers that.
   */
  let lostInFlight = false
  /** Whether PostgreSQL was restored and no pass has compared it since. */
  let uncompared = false
  /** Shards of earlier epochs may have lost changes until they are written again. */
  let trustedEpoch = 0

  async function readRecords(id: string, of: string): Promise<ConfirmAnswer> {
    return confirmRecords(gateway, of, id, { key: '', account: '' }, null)
  }

  /** Whether a gateway would admit a request with the key. */
  async function wouldAdmit(id: string, of: string): Promise<boolean> {
    const seen = await readRecords(id, of)
    if (seen.outcome !== 'moved' || seen.key === null || seen.account === null) return false
    if (readKeyRecord(seen.key.json).status !== 'active') return false
    const versions = { key: seen.key.version, account: seen.account.version }
    return (await confirmRecords(gateway, of, id, versions, null)).outcome === 'admitted'
  }

  function forgetLostRevocations(): void {
    for (const id of acknowledged) if (world.state.keys.get(id)?.record.status !== 'revoked') acknowledged.delete(id)
  }

  return {
    created,
    written,
    acknowledged,
    inRedis,
    chargedEarly,
    isUncompared: () => uncompared,
    lostInFlight() {
      lostInFlight = true
    },
    restored(lost: MemoryState, now: MemoryState, isRedisKept: boolean) {
      uncompared = true
      trustedEpoch = 0
      for (const id of lost.accounts.keys()) if (!now.accounts.has(id)) lostAccounts.add(id)
      for (const id of written) {
        // Redis may have swept the tombstone; a key that is active again must be written again.
        const before = lost.keys.get(id)
        if (!now.keys.has(id) || before?.record.status === 'revoked') written.delete(id)
      }
      // A revocation that Redis acknowledged holds after the restore, unless PostgreSQL lost the key itself or Redis
      // its data.
      if (!isRedisKept) forgetLostRevocations()
    },
    /** Redis is about to lose data. What only Redis knew after a restore is lost with it. */
    redisLoses() {
      if (uncompared) forgetLostRevocations()
    },
    compared(isRestored: boolean) {
      uncompared = false
      if (isRestored) trustedEpoch = world.state.epoch
    },

    /** Whether a request of an account can be admitted. */
    async isOpen(of: string): Promise<boolean> {
      const row = world.state.accounts.get(of)
      const upTo =
        row === undefined || uncompared || lostAccounts.has(of) ? null : await verifiedChange(accountShard(of))
      return upTo !== null && row!.change <= upTo
    },

    /** Checks the promises that hold at every instant. */
    async check(): Promise<void> {
      const writtenKeys = created.filter(({ id }) => written.has(id))
      const dead = created.filter(({ id }) => acknowledged.has(id))
      const verified = uncompared ? [] : [...interesting]
      await Promise.all([...writtenKeys.map(checkKnown), ...dead.map(checkDead), ...verified.map(checkShard)])
    },

    /** Checks the promises that hold when the loop is idle. */
    async checkAtRest(): Promise<void> {
      for (const shard of interesting) {
        assert.equal(await verifiedChange(shard), world.state.shards.get(shard) ?? 0, `${shard} is not verified`)
      }
      assert.equal(uncompared, false)
      await this.check()
    }
  }

  /** Once Redis had a live key, it must never be unknown again. */
  async function checkKnown({ id, account: of, digest }: (typeof created)[number]): Promise<void> {
    const row = world.state.keys.get(id)
    if (row === undefined || row.record.status === 'revoked') return
    assert.notEqual(await findPointer(gateway, digest), 'unknown', `${id} is unknown`)
    const seen = await readRecords(id, of)
    assert.ok(seen.outcome !== 'moved' || seen.key !== null, `${id} has no record`)
  }

  async function checkDead(made: { id: string; account: string }): Promise<void> {
    assert.equal(await wouldAdmit(made.id, made.account), false, `${made.id} was revoked but is admitted`)
  }

  /** A verified shard must have PostgreSQL's state. */
  async function checkShard(shard: Shard): Promise<void> {
    const upTo = await verifiedChange(shard)
    if (upTo === null) return
    const { state } = world
    const checks: Array<Promise<void>> = []
    for (const row of state.keys.values()) {
      if (secretShard(row.record.digest) === shard && row.change <= upTo && row.record.status === 'active')
        checks.push(checkPointer(row))
    }
    for (const of of accounts.filter((id) => accountShard(id) === shard)) {
      const row = state.accounts.get(of)
      if (row !== undefined && row.change <= upTo) {
        checks.push(checkAccount(row))
        if (!lostAccounts.has(of)) checks.push(checkSpend(of))
      }
      for (const { id } of created.filter((made) => made.account === of)) checks.push(checkKey(id, of, upTo))
    }
    await Promise.all(checks)
  }

  async function checkPointer({ id, record }: MemoryKey): Promise<void> {
    assert.equal(await link.client.exists(pointerName(record.digest)), 1, `the pointer of ${id} is missing`)
  }

  async function checkAccount({ id, record }: MemoryAccount): Promise<void> {
    const seen = await readRecords('none', id)
    assert.ok(seen.outcome === 'moved' && seen.account !== null, `account ${id} is missing`)
    assert.deepEqual(readAccountRecord(seen.account.json), record)
  }

  /** No request may be admitted with less spend than the ledger and Redis have. */
  async function checkSpend(of: string): Promise<void> {
    const month = monthNumber(new Date())
    const spend = await readState(link.client, of)
    assert.equal(spend.account?.month, month, `${of} has no spend`)
    const ledgerSpend = ledgerSpends(world.state, month).find(({ account }) => account === of)
    if (ledgerSpend === undefined || lostInFlight) return
    const { settled } = spend.account
    assert.ok(settled >= ledgerSpend.settled, `${of} has spent ${ledgerSpend.settled}, but Redis has ${settled}`)
    for (const [id, nanos] of ledgerSpend.byKey) {
      // A key without a record is not admitted, and needs no spend.
      const { version, settled } = spend.keys.get(id) ?? { version: 0, settled: 0 }
      assert.ok(
        version === 0 || chargedEarly.has(id) || settled >= nanos,
        `${id} has spent ${nanos}, but Redis has ${settled}`
      )
    }
  }

  async function checkKey(id: string, of: string, upTo: number): Promise<void> {
    const seen = await readRecords(id, of)
    assert.ok(seen.outcome === 'moved')
    const record = seen.key === null ? null : readKeyRecord(seen.key.json)
    if (record !== null) inRedis.add(id)
    const row = world.state.keys.get(id)
    if (row === undefined) assert.notEqual(record?.status, 'active', `${id} is in force in Redis but not in PostgreSQL`)
    else if (row.change <= upTo && row.record.status === 'revoked')
      assert.notEqual(record?.status, 'active', `${id} was revoked`)
    else if (row.change <= upTo) assert.deepEqual(record, row.record, `${id} differs in a verified shard`)
  }

  /** The change up to which a shard is verified; null if it is not. */
  async function verifiedChange(shard: Shard): Promise<number | null> {
    const { version, run } = await readMarker(link.client, shard)
    if (typeof version !== 'number' || run !== world.run()) return null
    // A shard that is not yet in the new epoch is still verified for changes of the old one.
    const epoch = epochOf(version)
    assert.ok(epoch <= world.state.epoch)
    return epoch < trustedEpoch ? null : changeOf(version)
  }
}

async function play(script: Action[], link: RedisNode): Promise<void> {
  await link.client.flushall()
  const world = createWorld(link)
  const watcher = watch(world, link)
  let passes = 0
  let copies = 0
  /** Accounts with admitted requests, which may settle at any time. */
  const admitted = new Set<string>()
  let dump: Awaited<ReturnType<World['dump']>> = new Map()
  let backup = structuredClone(world.state)

  async function pass({ redis, source }: Agent): Promise<PassResult | null> {
    passes++
    try {
      const result = await runPass(source, redis, endless, (stale) => {
        watcher.compared(false)
        return stale.filter(({ shard }) => interesting.has(shard))
      })
      if (result.restored) watcher.compared(true)
      return result
    } catch {
      return null
    } finally {
      passes--
    }
  }

  /** Copies usage, as another replica's loop does. */
  async function copy({ redis, source }: Agent): Promise<void> {
    copies++
    await copyUsage(source.ledger, redis, 'changed', { shards: accountShards }).catch(() => undefined)
    copies--
  }

  async function sweep({ redis }: Agent): Promise<void> {
    await sweepTombstones(redis, { shards: accountShards, keptMs: 0 }).catch(() => undefined)
  }

  /** Expires pointers of revoked secrets, as Redis does. */
  async function expirePointers(): Promise<void> {
    for (const { record } of world.state.keys.values()) {
      if (record.status === 'revoked') await link.client.del(pointerName(record.digest))
    }
  }

  /** Deletes long revoked keys, whose last requests ended long ago. */
  function purge(): void {
    world.crashAll()
    passes = 0
    copies = 0
    const { keys, purged } = world.state
    for (const row of keys.values()) {
      if (!isLongDead(row)) continue
      keys.delete(row.id)
      const shard = accountShard(row.account)
      purged.set(shard, Math.max(purged.get(shard) ?? 0, row.change))
    }
  }

  async function writeKey(id: string, directly: DirectWrite): Promise<void> {
    if (directly === 'no') return
    const { redis, source, settle } = world.agent()
    const of = world.state.keys.get(id)?.account ?? ''
    const isRevoked = world.state.keys.get(id)?.record.status === 'revoked'
    writeDirectly(redis, { kind: 'key', account: of, key: id }, () => source.writesOfKey(of, id)).then(
      (isThere) => {
        if (!isThere) return
        watcher.written.add(id)
        if (isRevoked) watcher.acknowledged.add(id)
      },
      () => undefined
    )
    if (directly === 'whole') await settle()
  }

  async function writeAccount(of: string, directly: DirectWrite): Promise<void> {
    if (directly === 'no') return
    const { redis, source, settle } = world.agent()
    writeDirectly(redis, { kind: 'account', account: of }, () => source.writesOfAccount(of)).catch(() => undefined)
    if (directly === 'whole') await settle()
  }

  function pickKey(number: number): MemoryKey | undefined {
    const keys = [...world.state.keys.values()]
    return keys[number % Math.max(1, keys.length)]
  }

  function changeKey(row: MemoryKey, change: Partial<KeyRecord>): void {
    row.change = recordMemoryChange(world.state, [accountShard(row.account), secretShard(row.record.digest)])
    row.record = { ...row.record, ...change }
  }

  async function act(action: Action): Promise<void> {
    const { state } = world
    switch (action.do) {
      case 'step':
        return world.step(action.pick, action.ending)
      case 'pass':
        if (passes < 2) void pass(world.agent())
        return
      case 'wholePass': {
        const agent = world.agent()
        void pass(agent)
        return agent.settle()
      }
      case 'copy':
        if (copies < 2) void copy(world.agent())
        return
      case 'wholeCopy': {
        const agent = world.agent()
        void copy(agent)
        return agent.settle()
      }
      case 'serve': {
        const of = accounts[action.account]!
        if (await watcher.isOpen(of)) admitted.add(of)
        if (!admitted.has(of)) return
        // A key that Redis never had is not admitted. Charges for it count for the account only.
        if (!watcher.inRedis.has(`key_${action.key}`)) watcher.chargedEarly.add(`key_${action.key}`)
        await serve({ ...link, run: () => world.run() }, of, { key: `key_${action.key}`, costNanos: 1 + action.key })
        return
      }
      case 'create':
      case 'plan': {
        const of = accounts[action.account]!
        // A pass must compare a restored database before other changes: see compareShards.
        if (watcher.isUncompared()) return
        const shard = accountShard(of)
        if (action.do === 'plan' || !state.accounts.has(of)) {
          const plan = `plan ${state.change}`
          const change = recordMemoryChange(state, [shard])
          state.accounts.set(of, { id: of, record: { plan, status: 'active', ownCapNanos: null }, change })
          await writeAccount(of, action.write)
        } else {
          const number = watcher.created.length
          const id = `key_${number}`
          const digest = `0${number % 2}${String(number).padStart(62, '0')}`
          const change = recordMemoryChange(state, [shard, secretShard(digest)])
          const record: KeyRecord = {
            status: 'active',
            digest,
            previous: null,
            expiresAt: null,
            models: null,
            monthlyBudgetNanos: null,
            requestsPerMinute: null
          }
          state.keys.set(id, { id, account: of, record, change, revokedAt: null })
          watcher.created.push({ id, account: of, digest })
          await writeKey(id, action.write)
        }
        return
      }
      case 'revoke':
      case 'edit': {
        const row = pickKey(action.key)
        if (row === undefined || row.record.status === 'revoked' || watcher.isUncompared()) return
        if (action.do === 'edit') changeKey(row, { models: [`model ${state.change}`] })
        else {
          changeKey(row, { status: 'revoked' })
          row.revokedAt = Date.now()
        }
        await writeKey(row.id, action.write)
        return
      }
      case 'write': {
        const row = pickKey(action.key)
        if (row !== undefined) await writeKey(row.id, 'begin')
        return
      }
      case 'month':
        for (const { keys } of [state, backup]) {
          for (const row of keys.values()) if (row.revokedAt !== null) row.revokedAt = 1
        }
        return
      case 'sweep':
        void sweep(world.agent())
        return
      case 'wholeSweep': {
        const agent = world.agent()
        void sweep(agent)
        return agent.settle()
      }
      case 'expire':
        return expirePointers()
      case 'purge':
        return purge()
      case 'flush':
        if (copies + passes > 0) watcher.lostInFlight()
        watcher.redisLoses()
        await link.client.flushall()
        return
      case 'dump':
        dump = await world.dump()
        return
      case 'crash':
        world.crashAll()
        passes = 0
        copies = 0
        return
      case 'backup':
        backup = structuredClone(state)
        return
      case 'restart':
        return restart(action.from)
      case 'restore':
        // An operator stops control before restoring its database.
        world.crashAll()
        passes = 0
        copies = 0
        world.state = structuredClone(backup)
        watcher.restored(state, world.state, action.redis === 'same' || action.redis === 'present')
        for (const of of [...admitted]) if (!world.state.accounts.has(of)) admitted.delete(of)
        if (action.redis !== 'same') await restart(action.redis)
        dump = new Map()
    }
  }

  async function restart(content: 'present' | 'dump' | 'nothing'): Promise<void> {
    if (content !== 'present' && copies + passes > 0) watcher.lostInFlight()
    if (content !== 'present') watcher.redisLoses()
    await world.restart(content === 'present' ? await world.dump() : content === 'dump' ? dump : new Map())
  }

  for (const action of script) {
    await act(action)
    await watcher.check()
  }
  while (world.waiting() > 0) {
    await world.step(0, 'done')
    await watcher.check()
  }
  let result: PassResult | null = null
  for (let count = 0; count < 10 && (result === null || result.restored || result.shards > 0); count++) {
    const agent = world.agent()
    const last = pass(agent)
    await agent.settle()
    result = await last
    await watcher.check()
  }
  assert.deepEqual(result, { restored: false, shards: 0, writes: 0 })
  await watcher.checkAtRest()
}

test('verified shards are right, revoked keys stay refused, and Redis ends with the state of PostgreSQL', async (t) => {
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
    { examples: regressions.map((script) => [script]), ...propertyRuns(8, 40) }
  )
})
