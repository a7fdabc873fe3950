import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import {
  type AdmitAnswer,
  admit,
  type PreparedAdmission,
  prepareAdmission,
  type WindowLimit
} from '../admission/admit.ts'
import { accountShard, deadlinesName } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { claimShard, markVerified, openMonth } from '../projection/shard-markers.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { readReceipts } from '../receipts/receipts.ts'
import { reap } from '../settlement/reap.ts'
import { cancel, settle, tagOf } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { correctBudgets, readBudgetsAndUsage } from '../spend/budgets.ts'
import { openSpends, seedSpend } from '../spend/spend.ts'
import { prepareAccount } from '../wire/packed.ts'
import {
  type AccountModel,
  admitModel,
  cancelModel,
  countedAt,
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
import {
  budgetFields,
  correctModel,
  isCountedBy,
  isInWindow,
  isOfMoney,
  reservedInBudget,
  turnBudget
} from './windows-model.ts'

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
export class LimitsWorld {
  readonly link: RedisNode
  readonly #clock: MovedClock
  #models = new Map(accounts.map((id) => [id, emptyAccount()]))
  #runs = 0
  #micros: number
  #version = 0
  #isVerified = false
  /** The open month in the shard's marker. */
  #month: number | null = null
  #lost: ReadonlySet<string> = new Set()
  /** The copied usage rows, by account and name. */
  readonly #ledger = new Map(accounts.map((id) => [id, new Map<string, ModelUsage>()]))
  /** The copied receipts by request: of each, the one of the latest kind. */
  readonly #receipts = new Map<string, Receipt>()

  constructor(clock: MovedClock, startMicros: number) {
    this.#clock = clock
    this.#micros = startMicros
    this.link = { ...clock.link, run: () => `${String(this.#runs).padStart(8, '0')}_of_the_test` }
  }

  /** Empties Redis. */
  async start(): Promise<void> {
    await this.#client.flushall()
    await this.#clock.set(this.#micros)
    await this.verify()
  }

  get #client() {
    return this.link.client
  }

  micros(): number {
    return this.#micros
  }

  isVerified(): boolean {
    return this.#isVerified
  }

  now(): Moment {
    const lost = this.#isVerified ? this.#lost : null
    return { micros: this.#micros, tag: tagOf(this.link.run()), month: this.#month, lost }
  }

  model(account: string): AccountModel {
    return this.#models.get(account)!
  }

  /** The month by control's clocks. */
  #presentMonth(): number {
    return Math.max(this.#month ?? 0, monthOf(Math.floor(this.#micros / 1e6)))
  }

  async compare(): Promise<void> {
    const content = await readContent(this.#client)
    assert.deepEqual(comparable(content), contentOf(this.#models))
    for (const account of this.#models.values()) {
      for (const amount of [...account.settled.values(), ...account.arrivals.values()]) assert.ok(amount >= 0)
      for (const { deadline } of account.holds.values()) {
        assert.ok(
          account.firstDeadline !== null && account.firstDeadline <= deadline,
          'a hold ends before the time in firstDeadline'
        )
      }
    }
    const overdue = accounts.filter(
      (id) => (this.model(id).firstDeadline ?? Infinity) <= Math.floor(this.#micros / 1000)
    )
    assert.deepEqual((await this.#client.tgFindOverdue(deadlinesName(shard), 10)).sort(), [...overdue].sort())
  }

  /** Brings Redis up to date and marks the shard as verified, as control does. */
  async verify(): Promise<void> {
    this.#version++
    for (const account of accounts) {
      await putAccountRecord(this.link, account, this.#version, accountRecord)
      openModel(this.model(account), this.#month)
      for (const key of keys) await putKeyRecord(this.link, account, key, this.#version, activeKey)
      await this.#seed(account)
      await this.correctBudgets(account, 'raise')
    }
    this.#month = this.#presentMonth()
    this.#lost = this.#lostRuns()
    const verdict = { version: this.#version, run: this.link.run(), month: this.#month, lostRuns: [...this.#lost] }
    assert.ok(await markVerified(this.link, await claimShard(this.link, shard, 'test'), verdict))
    this.#isVerified = true
    await this.compare()
  }

  /** The runs whose usage the ledger has and Redis lacks. */
  #lostRuns(): Set<string> {
    const tags = new Set<string>()
    for (const [account, rows] of this.#ledger) {
      for (const [name, { born, revision }] of rows) {
        const here = this.model(account).usage.get(name)
        const isHere = here !== undefined && here.born === born && here.revision >= revision
        if (!isHere) tags.add(/:([^|~-]+)/.exec(name)![1]!)
      }
    }
    return tags
  }

  async #seed(account: string): Promise<void> {
    const month = Math.max(this.model(account).month ?? 0, this.#presentMonth())
    const settled = new Map<string, number>([['', 0]])
    for (const [name, { counters }] of this.#ledger.get(account)!) {
      if (monthOf(Number.parseInt(name, 10) * 3600) !== month) continue
      const nanos = counters.get('costNanos') ?? 0
      for (const owner of ['', name.split('|')[1]!]) settled.set(owner, (settled.get(owner) ?? 0) + nanos)
    }
    for (const [of, nanos] of settled) settled.set(of, Math.max(0, nanos))
    const byKey = new Map([...settled].filter(([of]) => of !== ''))
    const seen = await openSpends(this.link, [account], month)
    assert.equal(seen.get(account), openModel(this.model(account), month))
    // Seeds with an outdated spend first.
    for (const [before, said] of [
      ['', new Map<string, string>()],
      [seen.get(account)!, seen]
    ] as const) {
      const outcome = seedModel(this.model(account), month, settled, before)
      assert.deepEqual(await seedSpend(this.link, [{ account, month, settled: settled.get('')!, byKey }], said), [
        outcome
      ])
    }
  }

  /**
   * Corrects the budgets of an account as control does.
   *
   * @param how `raise`: what Redis has may be more than the ledger and Redis' usage, and stays
   */
  async correctBudgets(account: string, how: 'raise' | 'set'): Promise<void> {
    const model = this.model(account)
    const seen = await readBudgetsAndUsage(this.link, account, budgetFields)
    assert.equal(seen.micros, this.#micros)
    assert.equal(seen.tag, this.now().tag)
    for (const field of budgetFields) turnBudget(model, field, countedAt(model, this.now()))
    const rows = new Map(this.#ledger.get(account))
    for (const [name, row] of model.usage) {
      const copied = rows.get(name)
      const isLater = copied?.born === row.born && copied.revision > row.revision
      if (!isLater) rows.set(name, row)
    }
    assert.equal(seen.usages.length, model.usage.size)
    const found = seen.budgets.map((budget) => {
      const ofBudget = (hour: number, key: string, of: string) =>
        isInWindow(model, budget.field, hour) && isCountedBy(budget.field, { key, model: of })
      let settled = 0
      for (const [name, { counters }] of rows) {
        const [, key, of] = /^[^|]*\|([^|]*)\|(.*)$/.exec(name)!
        if (ofBudget(Number.parseInt(name, 10), key!, of!)) settled += counters.get('costNanos') ?? 0
      }
      settled = Math.max(0, how === 'raise' ? budget.settled : 0, settled)
      const reserved = seen.holds
        .filter(({ at, key, model: of }) => ofBudget(Math.floor(at / 3600), key, of))
        .reduce((sum, { nanos }) => sum + nanos, 0)
      correctModel(model, budget.field, settled)
      return { seen: budget, settled, reserved }
    })
    assert.deepEqual(
      await correctBudgets(this.link, account, found),
      found.map(() => true)
    )
    await this.compare()
  }

  #prepare({ account, ...request }: Asking): PreparedAdmission {
    const versions = {
      key: String(this.#version),
      account: String(request.outdated ? this.#version - 1 : this.#version)
    }
    return prepareAdmission(
      prepareAccount(account),
      request.key,
      versions,
      request.ended ? Math.floor(this.#micros / 1000) : null,
      request.allowances,
      request.holdMs
    )
  }

  #checkAnswer(asking: Asking, answer: AdmitAnswer): void {
    if (!this.#isVerified) assert.equal(answer.outcome, 'unverified')
    else if (asking.outdated) assert.equal(answer.outcome, 'moved')
    else if (asking.ended) assert.equal(answer.outcome, 'ended')
    else {
      const isAgain = this.model(asking.account).holds.has(asking.id)
      const expected = admitModel(this.model(asking.account), asking, this.now())
      assert.deepEqual({ ...answer, ...expected }, answer)
      if (answer.outcome === 'admitted' && !isAgain)
        checkGrant(this.model(asking.account), asking, answer.grantedTokens)
    }
  }

  /** Copies all receipts, as control does. */
  async copyReceipts(): Promise<ReadonlyMap<string, Receipt>> {
    const { entries, malformed } = await readReceipts(this.link, shard, 1e6)
    assert.deepEqual(malformed, [])
    const rankOf = ({ kind }: Receipt) => receiptKinds.indexOf(kind)
    for (const receipt of entries.flatMap((entry) => entry.receipts)) {
      const copied = this.#receipts.get(receipt.id)
      if (copied === undefined || rankOf(copied) < rankOf(receipt)) this.#receipts.set(receipt.id, receipt)
    }
    return this.#receipts
  }

  /** Opens the current month by control's clocks. */
  async openMonth(): Promise<void> {
    if (!this.#isVerified) return
    this.#month = this.#presentMonth()
    await openMonth(this.link, [shard], this.#month)
    await this.compare()
  }

  async setTime(to: number): Promise<void> {
    this.#micros = to
    await this.#clock.set(this.#micros)
  }

  /** Writes new versions of all records, as control does. */
  async change(): Promise<void> {
    this.#version++
    for (const account of accounts) {
      await putAccountRecord(this.link, account, this.#version, accountRecord)
      openModel(this.model(account), this.#month)
    }
    for (const key of keys)
      for (const account of accounts) await putKeyRecord(this.link, account, key, this.#version, activeKey)
    await this.compare()
  }

  /**
   * Asks for admission, and checks the answer against the model and all budgets.
   *
   * @param isCompared whether all content is compared too
   */
  async admit(asking: Asking, isCompared = true): Promise<AdmitAnswer> {
    const answer = await admitOne(this.link, this.#prepare(asking), asking, asking.reaped)
    this.#checkAnswer(asking, answer)
    if (isCompared) await this.compare()
    return answer
  }

  /** Asks for several at once, in a group for each key. @returns the answers in the order of the requests */
  async admitTogether(askings: readonly Asking[]): Promise<AdmitAnswer[]> {
    const groups = [
      ...Map.groupBy(
        askings,
        ({ account, key, allowances: { windows } }) => `${account} ${key} ${JSON.stringify(windows)}`
      ).values()
    ]
    const answers = await admit(
      this.link,
      groups.map((requests) => ({ admission: this.#prepare(requests[0]!), requests, reaped: false }))
    )
    const byId = new Map<string, AdmitAnswer>()
    for (const [number, requests] of groups.entries()) {
      const answer = answers[number]!
      for (const [index, asking] of requests.entries()) {
        const own = Array.isArray(answer) ? answer[index]! : answer
        this.#checkAnswer(asking, own)
        byId.set(asking.id, own)
      }
    }
    await this.compare()
    return askings.map(({ id }) => byId.get(id)!)
  }

  async cancel(account: string, ids: string[]): Promise<void> {
    await cancel(this.link, account, ids, receiptBytes)
    cancelModel(this.model(account), ids, this.now())
    await this.compare()
  }

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
    const unsettled = await settle(this.link, prepared, receiptBytes)
    const done = new Set<string>()
    // Retried groups are settled first.
    for (const { account, requests, tried } of groups.toSorted((one, two) => +isFresh(one) - +isFresh(two))) {
      if (settleModel(this.model(account), requests, tried, this.now())) for (const { id } of requests) done.add(id)
    }
    const undecided = unsettled.flatMap(({ group }) => group.requests.map(({ id }) => id))
    assert.deepEqual(new Set(undecided), new Set(groups.flatMap(({ requests }) => idsOf(requests)).filter(isNot(done))))
    await this.compare()
    return done
  }

  async reap(account: string, maxHolds: number): Promise<void> {
    const before = [...this.model(account).holds.keys()]
    const nowMs = Math.floor(this.#micros / 1000)
    const overdue = before.filter((id) => {
      const { deadline, tag } = this.model(account).holds.get(id)!
      return deadline <= nowMs && (this.#isVerified || tag === this.now().tag)
    })
    const { charged, released } = await reap(this.link, account, maxHolds, maxHoldMs, receiptBytes)
    const left = (await readState(this.#client, account)).holds
    const ended = before.filter((id) => !left.has(id))
    // Until the shard is verified, overdue holds of another run stay and take places of the limit.
    if (this.#isVerified) assert.equal(charged + released, Math.min(maxHolds, overdue.length))
    assert.equal(ended.length, charged + released)
    assert.ok(ended.every((id) => overdue.includes(id)))
    const isCharged = (id: string) => this.model(account).holds.get(id)!.tag === this.now().tag || this.#lost.size === 0
    assert.equal(charged, ended.filter(isCharged).length)
    reapModel(this.model(account), ended, this.now())
    await this.compare()
  }

  /** Copies usage rows with a newer revision, as control does. */
  copy(): void {
    for (const [account, { usage }] of this.#models) {
      for (const [name, counters] of usage) {
        const copied = this.#ledger.get(account)!
        if ((copied.get(name)?.revision ?? 0) < counters.revision) copied.set(name, structuredClone(counters))
      }
    }
  }

  async dump(): Promise<Dump> {
    return { content: await readContent(this.#client), models: structuredClone(this.#models), month: this.#month }
  }

  /**
   * Starts another Redis process with the given data or none. It admits nothing until control has verified the shard.
   */
  async restart(dump: Dump | null): Promise<void> {
    await this.copyReceipts()
    this.#runs++
    this.#isVerified = false
    await this.#client.flushall()
    this.#month = dump?.month ?? null
    if (dump !== null) await writeContent(this.#client, dump.content, (name) => /^(deadlines|rows):/.test(name))
    this.#models =
      dump === null ? new Map(accounts.map((id) => [id, emptyAccount()])) : structuredClone(new Map(dump.models))
    await this.#clock.set(this.#micros)
    await this.compare()
  }
}

/** Creates a world in an empty Redis, with a verified shard. */
export async function createWorld(clock: MovedClock, startMicros: number): Promise<LimitsWorld> {
  const world = new LimitsWorld(clock, startMicros)
  await world.start()
  return world
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

function checkGrant(account: AccountModel, { key, bound, allowances }: Asking, granted: number): void {
  const { adjusted } = allowances
  const usedOf = ({ field, limit }: WindowLimit): [limit: number, used: number] => [
    limit,
    account.budgets.get(field)!.settled + reservedInBudget(account, field)
  ]
  const adjustedNow = adjusted?.month === account.month ? adjusted.nanos : 0
  const caps: Array<[cap: number, used: number]> = [
    [allowances.accountBudgetNanos, (account.settled.get('') ?? 0) + adjustedNow + reservedOf(account)],
    [allowances.keyBudgetNanos ?? Infinity, (account.settled.get(key) ?? 0) + reservedOf(account, key)],
    [allowances.requestNanos, nanosOf(bound, granted)],
    ...allowances.windows.filter(isOfMoney).map(usedOf)
  ]
  for (const [limit, taken] of allowances.windows.filter((limit) => !isOfMoney(limit)).map(usedOf)) {
    assert.ok(taken <= limit, `${taken} is above the limit of ${limit}`)
  }
  if (nanosOf(bound, granted) > 0)
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
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const other = seen.get(accountShard(id))
    if (other !== undefined) return [other, id]
    seen.set(accountShard(id), id)
  }
}
