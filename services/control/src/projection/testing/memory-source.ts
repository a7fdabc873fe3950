import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { accountShard, type Shard, secretShard } from '@tollgate/state/keyspace/names.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import { createMemoryLedger, type MemoryLedgerRow } from '../../usage/testing/memory-ledger.ts'
import { deadRecordMs, type ProjectionSource } from '../source.ts'

export interface MemoryAccount {
  id: string
  record: AccountRecord
  change: number
}
export interface MemoryKey {
  id: string
  account: string
  record: KeyRecord
  change: number
  /** ms since the epoch */
  revokedAt: number | null
}

/** The content of a database as plain data, so that tests can copy and restore it. */
export interface MemoryState {
  epoch: number
  change: number
  shards: Map<Shard, number>
  purged: Map<Shard, number>
  accounts: Map<string, MemoryAccount>
  keys: Map<string, MemoryKey>
  ledger: Map<string, MemoryLedgerRow>
  ledgerEpoch: number
}

export const emptyState = (): MemoryState => ({
  epoch: 0,
  change: 0,
  shards: new Map(),
  purged: new Map(),
  accounts: new Map(),
  keys: new Map(),
  ledger: new Map(),
  ledgerEpoch: 0
})

/** Does what `recordChange` does. */
export function recordMemoryChange(state: MemoryState, touched: readonly Shard[]): number {
  state.change++
  for (const shard of touched) state.shards.set(shard, state.change)
  return state.change
}

export const isLongDead = (key: MemoryKey): boolean =>
  key.revokedAt !== null && key.revokedAt < Date.now() - deadRecordMs

/**
 * A source for tests, with pages of one row, so that anything can happen between two rows. Each read sees the present
 * state.
 */
export function createMemorySource(state: () => MemoryState): ProjectionSource {
  async function* pages<Row extends { change: number; id: string }>(
    change: number,
    rows: () => Iterable<Row>,
    write: (row: Row) => ProjectionWrite
  ): AsyncGenerator<ProjectionWrite[]> {
    let last = { change, id: '\uffff' }
    for (;;) {
      const after = [...rows()].filter((row) => compare(row, last) > 0).sort(compare)[0]
      if (after === undefined) return
      yield [write(after)]
      last = after
    }
  }

  async function* writesOfShard(
    shard: Shard,
    change: number,
    epoch: number,
    withDead: boolean
  ): AsyncGenerator<ProjectionWrite[]> {
    const keys = () => [...state().keys.values()]
    if (shard.startsWith('k')) {
      const ofShard = () =>
        keys().filter((key) => secretShard(key.record.digest) === shard && (withDead || !isLongDead(key)))
      yield* pages(change, ofShard, pointerWrite)
      return
    }
    const accounts = () => [...state().accounts.values()]
    yield* pages(
      change,
      () => accounts().filter(({ id }) => accountShard(id) === shard),
      (row) => accountWrite(row, epoch)
    )
    const ofShard = () => keys().filter((key) => accountShard(key.account) === shard && (withDead || !isLongDead(key)))
    yield* pages(change, ofShard, (row) => keyWrite(row, epoch))
  }

  return {
    ledger: createMemoryLedger(state),
    async seedBudgets() {},
    async readTruth() {
      const { epoch, shards, purged } = state()
      return { epoch, changes: new Map(shards), purged: new Map(purged), catalog: 0, nowMs: Date.now() }
    },
    async *writesAfter(shards, change, epoch, withDead) {
      for (const shard of shards) yield* writesOfShard(shard, change, epoch, withDead)
    },
    async writesOfAccount(id) {
      const row = state().accounts.get(id)
      return row === undefined ? [] : [accountWrite(row, state().epoch)]
    },
    async writesOfKey(_account, id) {
      const row = state().keys.get(id)
      return row === undefined ? [] : [keyWrite(row, state().epoch), pointerWrite(row)]
    },
    async endKeys(ended) {
      return ended.filter(({ key: id, version, ending }) => {
        const row = state().keys.get(id)
        if (row === undefined || row.record.status === 'revoked' || versionOf(state().epoch, row.change) !== version)
          return false
        if (ending.kind === 'rotated') throw new Error('keys of the memory source have one secret')
        const change = recordMemoryChange(state(), [accountShard(row.account), secretShard(row.record.digest)])
        state().keys.set(id, { ...row, record: { ...row.record, status: 'revoked' }, change, revokedAt: Date.now() })
        return true
      })
    },
    async raiseEpoch(seen, other) {
      if (state().epoch === seen) state().epoch = Math.max(seen, other) + 1
    },
    async readCatalog() {
      throw new Error('the memory source has no catalog')
    }
  }
}

function compare(one: { change: number; id: string }, other: { change: number; id: string }): number {
  if (one.change !== other.change) return one.change - other.change
  return one.id < other.id ? -1 : Number(one.id > other.id)
}

function accountWrite({ id, record, change }: MemoryAccount, epoch: number): ProjectionWrite {
  return { kind: 'account', account: id, version: versionOf(epoch, change), record: { ...record } }
}

function keyWrite({ id, account, record, change }: MemoryKey, epoch: number): ProjectionWrite {
  return { kind: 'key', account, key: id, version: versionOf(epoch, change), record: { ...record } }
}

function pointerWrite({ id, account, record, revokedAt }: MemoryKey): ProjectionWrite {
  return {
    kind: 'pointer',
    digest: record.digest,
    pointer: { key: id, account, scope: 'inference' },
    diedAt: revokedAt
  }
}
