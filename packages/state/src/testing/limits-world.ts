import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { type AdmitAnswer, admit, type PreparedAdmission, prepareAdmission } from '../admission/admit.ts'
import { accountShard, deadlinesName } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { claimShard, markVerified, openMonth } from '../projection/shard-markers.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { readReceipts } from '../receipts/receipts.ts'
import { reap } from '../settlement/reap.ts'
import { cancel, settle, tagOf } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { openSpends, seedSpend } from '../spend/spend.ts'
import { prepareAccount } from '../wire/packed.ts'
import {
  type AccountModel,
  admitModel,
  cancelModel,
  emptyAccount,
  type ModelRequest,
  type ModelUsage,
  type Moment,
  monthOf,
  nanosOf,
  openModel,
  reapModel,
  reservedOf,
  seedModel,
  settleModel
} from './account-model.ts'
import { readState } from './account-state.ts'
import { comparable, contentOf } from './model-content.ts'
import type { MovedClock } from './moved-clock.ts'
import { activeKey, admitOne } from './one-account.ts'
import { type RedisContent, readContent, writeContent } from './redis-content.ts'

/** Two accounts of one shard: they share deadlines and the list of usage. */
export const accounts: readonly [string, string] = twoOfOneShard()
export const keys = ['key_1', 'key_2'] as const
const shard = accountShard(accounts[0])

/** Longer than any hold of these tests. */
const maxHoldMs = 1e12
/** Room for all receipts of a test. */
const receiptBytes = 1e9

const accountRecord: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

export interface Dump {
  content: RedisContent
  models: ReadonlyMap<string, AccountModel>
  month: number | null
}

/** A request for admission. */
export interface Asking extends ModelRequest {
  account: string
  /** Whether the caller judged by the records before the last change. */
  outdated?: boolean
  /** Whether the judged secret has ended. */
  ended?: boolean
}

/**
 * Redis together with models of its content. Each step is done to both, and then all content is compared. So an
 * unwanted change is noticed too.
 */
export async function createWorld(clock: MovedClock, startMicros: number) {
  const { client } = clock.link
  let models = new Map(accounts.map((id) => [id, emptyAccount()]))
  let runs = 0
  let micros = startMicros
  let version = 0
  let isVerified = false
  /** The open month in the shard's marker. */
  let month: number | null = null
  let lost: ReadonlySet<string> = new Set()
  /** The copied usage rows, by account and name. */
  const ledger = new Map(accounts.map((id) => [id, new Map<string, ModelUsage>()]))
  /** The copied receipts by request: of each, the one of the latest kind. */
  const receipts = new Map<string, Receipt>()

  const run = () => `${String(runs).padStart(8, '0')} of the test`
  const link: RedisNode = { ...clock.link, run }
  const now = (): Moment => ({ micros, tag: tagOf(run()), month, lost: isVerified ? lost : null })
  /** The month by control's clocks. */
  const presentMonth = () => Math.max(month ?? 0, monthOf(Math.floor(micros / 1e6)))
  const model = (account: string): AccountModel => models.get(account)!

  async function compare(): Promise<void> {
    const content = await readContent(client)
    assert.deepEqual(comparable(content), contentOf(models))
    for (const account of models.values()) {
      for (const amount of [...account.settled.values(), ...account.arrivals.values()]) assert.ok(amount >= 0)
      for (const { deadline } of account.holds.values()) {
        assert.ok(
          account.firstDeadline !== null && account.firstDeadline <= deadline,
          'a hold ends before the time in firstDeadline'
        )
      }
    }
    const overdue = accounts.filter((id) => (model(id).firstDeadline ?? Infinity) <= Math.floor(micros / 1000))
    assert.deepEqual((await client.tgFindOverdue(deadlinesName(shard), 10)).sort(), [...overdue].sort())
  }

  /** Brings Redis up to date and marks the shard as verified, as control does. */
  async function verify(): Promise<void> {
    version++
    for (const account of accounts) {
      await putAccountRecord(link, account, version, accountRecord)
      openModel(model(account), month)
      for (const key of keys) await putKeyRecord(link, account, key, version, activeKey)
      await seed(account)
    }
    month = presentMonth()
    lost = lostRuns()
    const verdict = { version, run: run(), month, lostRuns: [...lost] }
    assert.ok(await markVerified(link, await claimShard(link, shard, 'test'), verdict))
    isVerified = true
    await compare()
  }

  /** The runs whose usage the ledger has and Redis lacks. */
  function lostRuns(): Set<string> {
    const tags = new Set<string>()
    for (const [account, rows] of ledger) {
      for (const [name, { born, revision }] of rows) {
        const here = model(account).usage.get(name)
        const isHere = here !== undefined && here.born === born && here.revision >= revision
        if (!isHere) tags.add(/:([^|~-]+)/.exec(name)![1]!)
      }
    }
    return tags
  }

  async function seed(account: string): Promise<void> {
    const month = Math.max(model(account).month ?? 0, presentMonth())
    const settled = new Map<string, number>([['', 0]])
    for (const [name, { counters }] of ledger.get(account)!) {
      if (monthOf(Number.parseInt(name, 10) * 3600) !== month) continue
      const nanos = counters.get('costNanos') ?? 0
      for (const owner of ['', name.split('|')[1]!]) settled.set(owner, (settled.get(owner) ?? 0) + nanos)
    }
    for (const [of, nanos] of settled) settled.set(of, Math.max(0, nanos))
    const byKey = new Map([...settled].filter(([of]) => of !== ''))
    const seen = await openSpends(link, [account], month)
    assert.equal(seen.get(account), openModel(model(account), month))
    // Seeds with an outdated spend first.
    for (const [before, said] of [
      ['', new Map<string, string>()],
      [seen.get(account)!, seen]
    ] as const) {
      const outcome = seedModel(model(account), month, settled, before)
      assert.deepEqual(await seedSpend(link, [{ account, month, settled: settled.get('')!, byKey }], said), [outcome])
    }
  }

  const prepare = ({ account, ...request }: Asking): PreparedAdmission => {
    const versions = { key: String(version), account: String(request.outdated ? version - 1 : version) }
    return prepareAdmission(
      prepareAccount(account),
      request.key,
      versions,
      request.ended ? Math.floor(micros / 1000) : null,
      request.allowances,
      request.holdMs
    )
  }

  function checkAnswer(asking: Asking, answer: AdmitAnswer): void {
    if (!isVerified) assert.equal(answer.outcome, 'unverified')
    else if (asking.outdated) assert.equal(answer.outcome, 'moved')
    else if (asking.ended) assert.equal(answer.outcome, 'ended')
    else {
      const isAgain = model(asking.account).holds.has(asking.id)
      const expected = admitModel(model(asking.account), asking, now())
      assert.deepEqual({ ...answer, ...expected }, answer)
      if (answer.outcome === 'admitted' && !isAgain) checkGrant(model(asking.account), asking, answer.grantedTokens)
    }
  }

  /** Copies all receipts, as control does. */
  async function copyReceipts(): Promise<ReadonlyMap<string, Receipt>> {
    const { entries, malformed } = await readReceipts(link, shard, 1e6)
    assert.deepEqual(malformed, [])
    const rankOf = ({ kind }: Receipt) => receiptKinds.indexOf(kind)
    for (const receipt of entries.flatMap((entry) => entry.receipts)) {
      const copied = receipts.get(receipt.id)
      if (copied === undefined || rankOf(copied) < rankOf(receipt)) receipts.set(receipt.id, receipt)
    }
    return receipts
  }

  await client.flushall()
  await clock.set(micros)
  await verify()

  return {
    link,
    model,
    now,
    micros: () => micros,
    isVerified: () => isVerified,
    verify,
    compare,
    copyReceipts,

    /** Opens the current month by control's clocks. */
    async openMonth(): Promise<void> {
      if (!isVerified) return
      month = presentMonth()
      await openMonth(link, [shard], month)
      await compare()
    },

    async setTime(to: number): Promise<void> {
      micros = to
      await clock.set(micros)
    },

    /** Writes new versions of all records, as control does. */
    async change(): Promise<void> {
      version++
      for (const account of accounts) {
        await putAccountRecord(link, account, version, accountRecord)
        openModel(model(account), month)
      }
      for (const key of keys) for (const account of accounts) await putKeyRecord(link, account, key, version, activeKey)
      await compare()
    },

    /**
     * Asks for admission, and checks the answer against the model and all budgets.
     *
     * @param isCompared whether all content is compared too
     */
    async admit(asking: Asking, isCompared = true): Promise<AdmitAnswer> {
      const answer = await admitOne(link, prepare(asking), asking, asking.reaped)
      checkAnswer(asking, answer)
      if (isCompared) await compare()
      return answer
    },

    /** Asks for several at once, in a group for each key. @returns the answers in the order of the requests */
    async admitTogether(askings: readonly Asking[]): Promise<AdmitAnswer[]> {
      const groups = [...Map.groupBy(askings, ({ account, key }) => `${account} ${key}`).values()]
      const answers = await admit(
        link,
        groups.map((requests) => ({ admission: prepare(requests[0]!), requests, reaped: false }))
      )
      const byId = new Map<string, AdmitAnswer>()
      for (const [number, requests] of groups.entries()) {
        const answer = answers[number]!
        for (const [index, asking] of requests.entries()) {
          const own = Array.isArray(answer) ? answer[index]! : answer
          checkAnswer(asking, own)
          byId.set(asking.id, own)
        }
      }
      await compare()
      return askings.map(({ id }) => byId.get(id)!)
    },

    async cancel(account: string, ids: string[]): Promise<void> {
      await cancel(link, account, ids, receiptBytes)
      cancelModel(model(account), ids, now())
      await compare()
    },

    /**
     * @param groups of one account each
     * @returns ids of the settled requests
     */
    async settle(groups: ReadonlyArray<SettleStep>): Promise<Set<string>> {
      const prepared = groups.map(({ account, requests, tried }) => ({
        account: prepareAccount(account),
        requests,
        tried: tried.join('')
      }))
      const unsettled = await settle(link, prepared, receiptBytes)
      const done = new Set<string>()
      // Retried groups are settled first.
      for (const { account, requests, tried } of groups.toSorted((one, two) => +isFresh(one) - +isFresh(two))) {
        if (settleModel(model(account), requests, tried, now())) for (const { id } of requests) done.add(id)
      }
      const undecided = unsettled.flatMap(({ group }) => group.requests.map(({ id }) => id))
      assert.deepEqual(
        new Set(undecided),
        new Set(groups.flatMap(({ requests }) => idsOf(requests)).filter(isNot(done)))
      )
      await compare()
      return done
    },

    async reap(account: string, maxHolds: number): Promise<void> {
      const before = [...model(account).holds.keys()]
      const nowMs = Math.floor(micros / 1000)
      const overdue = before.filter((id) => {
        const { deadline, tag } = model(account).holds.get(id)!
        return deadline <= nowMs && (isVerified || tag === now().tag)
      })
      const { charged, released } = await reap(link, account, maxHolds, maxHoldMs, receiptBytes)
      const left = (await readState(client, account)).holds
      const ended = before.filter((id) => !left.has(id))
      // Until the shard is verified, overdue holds of another run stay and take places of the limit.
      if (isVerified) assert.equal(charged + released, Math.min(maxHolds, overdue.length))
      assert.equal(ended.length, charged + released)
      assert.ok(ended.every((id) => overdue.includes(id)))
      const isCharged = (id: string) => model(account).holds.get(id)!.tag === now().tag || lost.size === 0
      assert.equal(charged, ended.filter(isCharged).length)
      reapModel(model(account), ended, now())
      await compare()
    },

    /** Copies usage rows with a newer revision, as control does. */
    copy(): void {
      for (const [account, { usage }] of models) {
        for (const [name, counters] of usage) {
          const copied = ledger.get(account)!
          if ((copied.get(name)?.revision ?? 0) < counters.revision) copied.set(name, structuredClone(counters))
        }
      }
    },

    dump: async (): Promise<Dump> => ({ content: await readContent(client), models: structuredClone(models), month }),

    /**
     * Starts another Redis process with the given data or none. It admits nothing until control has verified the shard.
     */
    async restart(dump: Dump | null): Promise<void> {
      await copyReceipts()
      runs++
      isVerified = false
      await client.flushall()
      month = dump?.month ?? null
      if (dump !== null) await writeContent(client, dump.content, (name) => /^(deadlines|rows):/.test(name))
      models =
        dump === null ? new Map(accounts.map((id) => [id, emptyAccount()])) : structuredClone(new Map(dump.models))
      await clock.set(micros)
      await compare()
    }
  }
}

/** Requests of one account to settle, and the tags of the runs that earlier attempts may have reached. */
interface SettleStep {
  account: string
  requests: readonly SettledRequest[]
  tried: readonly string[]
}

const isFresh = ({ tried }: SettleStep): boolean => tried.length === 0
const idsOf = (requests: readonly SettledRequest[]): string[] => requests.map(({ id }) => id)
const isNot = (those: ReadonlySet<string>) => (id: string) => !those.has(id)

export type LimitsWorld = Awaited<ReturnType<typeof createWorld>>

function checkGrant(account: AccountModel, { key, bound, allowances }: Asking, granted: number): void {
  const { adjusted } = allowances
  const adjustedNow = adjusted?.month === account.month ? adjusted.nanos : 0
  const caps: Array<[cap: number, used: number]> = [
    [allowances.accountBudgetNanos, (account.settled.get('') ?? 0) + adjustedNow + reservedOf(account)],
    [allowances.keyBudgetNanos ?? Infinity, (account.settled.get(key) ?? 0) + reservedOf(account, key)],
    [allowances.requestNanos, nanosOf(bound, granted)]
  ]
  for (const [cap, used] of caps) assert.ok(used <= cap, `${used} is above the cap of ${cap}`)
  assert.ok(granted >= bound.minTokens && granted <= bound.wantedTokens)
  if (granted === bound.wantedTokens) return
  const more = nanosOf(bound, granted + 1) - nanosOf(bound, granted)
  assert.ok(
    caps.some(([cap, used]) => used + more > cap),
    'more could have been granted'
  )
}

function twoOfOneShard(): [string, string] {
  const seen = new Map<string, string>()
  for (let number = 0; ; number++) {
    const id = `account_${number}`
    const other = seen.get(accountShard(id))
    if (other !== undefined) return [other, id]
    seen.set(accountShard(id), id)
  }
}
