import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { type AdmitAnswer, admit, type PreparedAdmission, prepareAdmission } from '../admission/admit.ts'
import { accountShard, deadlinesName } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { claimShard, openMonth, stampShard } from '../projection/shard-markers.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { reap } from '../settlement/reap.ts'
import { cancel, settle, tagOf } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settled-request.ts'
import { openSpends, seedSpend } from '../spend/spend.ts'
import { prepareAccount } from '../wire/prepared-account.ts'
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
import { activeKey } from './active-key.ts'
import { comparable, contentOf } from './model-content.ts'
import type { MovedClock } from './moved-clock.ts'
import { admitOne } from './one-account.ts'
import { type RedisContent, readContent, writeContent } from './redis-content.ts'

/** Two accounts that share a shard, and so deadlines and the list of usage. */
export const accounts: readonly [string, string] = twoOfOneShard()
export const keys = ['key_1', 'key_2'] as const
const shard = accountShard(accounts[0])

/** Longer than any hold of these tests. */
const longestHoldMs = 1e12

const accountRecord: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

export type Dump = { content: RedisContent; models: ReadonlyMap<string, AccountModel>; month: number | null }

/** What is asked of admission beside the request itself. */
export type Asking = ModelRequest & {
  account: string
  /** Whether the caller judged on the records before the last change. */
  outdated?: boolean
  /** Whether what was judged has ended. */
  ended?: boolean
}

/**
 * Redis and, beside it, the models of what it must hold. Everything is done to both, and after each step they are
 * compared to the letter: so a step that must change nothing has changed nothing.
 */
export async function createWorld(clock: MovedClock, startMicros: number) {
  const { client } = clock.link
  let models = new Map(accounts.map((id) => [id, emptyAccount()]))
  let runs = 0
  let micros = startMicros
  let version = 0
  let isVouched = false
  /** The month that the shard's marker says is open. */
  let month: number | null = null
  let lost: ReadonlySet<string> = new Set()
  /** What was copied of usage: by account and name, with the revision. */
  const ledger = new Map(accounts.map((id) => [id, new Map<string, ModelUsage>()]))

  const run = () => `${String(runs).padStart(8, '0')} of the test`
  const link: RedisNode = { ...clock.link, run }
  const now = (): Moment => ({ micros, tag: tagOf(run()), month, lost: isVouched ? lost : null })
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
          'a hold ends before it is looked for'
        )
      }
    }
    const overdue = accounts.filter((id) => (model(id).firstDeadline ?? Infinity) <= Math.floor(micros / 1000))
    assert.deepEqual((await client.tgFindOverdue(deadlinesName(shard), 10)).sort(), [...overdue].sort())
  }

  /** As control brings a Redis up to date and vouches for it. */
  async function vouch(): Promise<void> {
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
    assert.ok(await stampShard(link, await claimShard(link, shard, 'test'), verdict))
    isVouched = true
    await compare()
  }

  /** The runs of which the ledger has more than Redis. */
  function lostRuns(): Set<string> {
    const tags = new Set<string>()
    for (const [account, rows] of ledger) {
      for (const [name, { born, revision }] of rows) {
        const here = model(account).usage.get(name)
        const isHere = here !== undefined && here.born === born && here.revision >= revision
        if (!isHere) tags.add(/:([^|~]+)/.exec(name)![1]!)
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
    // Also as if something had been settled since it was looked at.
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
    if (!isVouched) assert.equal(answer.outcome, 'unverified')
    else if (asking.outdated) assert.equal(answer.outcome, 'moved')
    else if (asking.ended) assert.equal(answer.outcome, 'ended')
    else {
      const isAgain = model(asking.account).holds.has(asking.id)
      const expected = admitModel(model(asking.account), asking, now())
      assert.deepEqual({ ...answer, ...expected }, answer)
      if (answer.outcome === 'admitted' && !isAgain) checkGrant(model(asking.account), asking, answer.grantedTokens)
    }
  }

  await client.flushall()
  await clock.set(micros)
  await vouch()

  return {
    link,
    model,
    now,
    micros: () => micros,
    isVouched: () => isVouched,
    vouch,
    compare,

    /** Control opens the month that it is by its clocks. */
    async openMonth(): Promise<void> {
      if (!isVouched) return
      month = presentMonth()
      await openMonth(link, [shard], month)
      await compare()
    },

    async setTime(to: number): Promise<void> {
      micros = to
      await clock.set(micros)
    },

    /** Control writes the records of an account anew. */
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
     * Asks for admission, and holds the answer against the model and every cap.
     *
     * @param isCompared whether all that is in Redis is compared as well
     */
    async admit(asking: Asking, isCompared = true): Promise<AdmitAnswer> {
      const answer = await admitOne(link, prepare(asking), asking, asking.reaped)
      checkAnswer(asking, answer)
      if (isCompared) await compare()
      return answer
    },

    /** The same for several at once, those of one key as a group. @returns the answers in the order of the requests */
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
      await cancel(link, account, ids)
      cancelModel(model(account), ids, now())
      await compare()
    },

    /**
     * @param groups of one account each, all tried in the same runs
     * @returns ids of the requests of which it could be decided
     */
    async settle(groups: ReadonlyArray<SettleStep>): Promise<Set<string>> {
      const prepared = groups.map(({ account, requests, tried }) => ({
        account: prepareAccount(account),
        requests,
        tried: tried.join('')
      }))
      const unsettled = await settle(link, prepared)
      const done = new Set<string>()
      // What was tried before goes first: nothing has to be known of it.
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

    async reap(account: string, most: number): Promise<void> {
      const before = [...model(account).holds.keys()]
      const nowMs = Math.floor(micros / 1000)
      const overdue = before.filter((id) => {
        const { deadline, tag } = model(account).holds.get(id)!
        return deadline <= nowMs && (isVouched || tag === now().tag)
      })
      const { charged, released } = await reap(link, account, most, longestHoldMs)
      const left = (await readState(client, account)).holds
      const ended = before.filter((id) => !left.has(id))
      // Those of another run are in the way of others as long as nobody knows what was lost.
      if (isVouched) assert.equal(charged + released, Math.min(most, overdue.length))
      assert.equal(ended.length, charged + released)
      assert.ok(ended.every((id) => overdue.includes(id)))
      const isCharged = (id: string) => model(account).holds.get(id)!.tag === now().tag || lost.size === 0
      assert.equal(charged, ended.filter(isCharged).length)
      reapModel(model(account), ended, now())
      await compare()
    },

    /** Control copies usage, absolute values, where the revision is newer. */
    copy(): void {
      for (const [account, { usage }] of models) {
        for (const [name, counters] of usage) {
          const copied = ledger.get(account)!
          if ((copied.get(name)?.revision ?? 0) < counters.revision) copied.set(name, structuredClone(counters))
        }
      }
    },

    dump: async (): Promise<Dump> => ({ content: await readContent(client), models: structuredClone(models), month }),

    /** Another Redis process, with these data or none: nothing is admitted before control has vouched for it. */
    async restart(dump: Dump | null): Promise<void> {
      runs++
      isVouched = false
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

/** Requests of one account that are settled, and the tags of the runs in which they were perhaps settled before. */
type SettleStep = { account: string; requests: readonly SettledRequest[]; tried: readonly string[] }

const isFresh = ({ tried }: SettleStep): boolean => tried.length === 0
const idsOf = (requests: readonly SettledRequest[]): string[] => requests.map(({ id }) => id)
const isNot = (those: ReadonlySet<string>) => (id: string) => !those.has(id)

export type LimitsWorld = Awaited<ReturnType<typeof createWorld>>

function checkGrant(account: AccountModel, { key, bound, allowances }: Asking, granted: number): void {
  const caps: Array<[cap: number, used: number]> = [
    [allowances.accountBudgetNanos, (account.settled.get('') ?? 0) + reservedOf(account)],
    [allowances.keyBudgetNanos ?? Infinity, (account.settled.get(key) ?? 0) + reservedOf(account, key)],
    [allowances.requestNanos, nanosOf(bound, granted)]
  ]
  for (const [cap, used] of caps) assert.ok(used <= cap, `${used} is above the cap of ${cap}`)
  assert.ok(granted >= bound.fewestTokens && granted <= bound.wantedTokens)
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
