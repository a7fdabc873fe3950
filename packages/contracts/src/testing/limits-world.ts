import assert from 'node:assert/strict'
import { accountShard, deadlinesName } from '../keyspace/names.ts'
import type { AccountRecord } from '../records/records.ts'
import { type AdmitAnswer, admit, type PreparedAdmission, prepareAdmission } from '../redis/admit.ts'
import { prepareAccount } from '../redis/prepared-account.ts'
import { claimShard, putAccountRecord, putKeyRecord, stampShard } from '../redis/project.ts'
import { reap } from '../redis/reap.ts'
import type { RedisNode } from '../redis/redis-link.ts'
import { cancel, type SettledRequest, settle } from '../redis/settle.ts'
import { openSpends, seedSpend } from '../redis/spend.ts'
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

export type Dump = { content: RedisContent; models: ReadonlyMap<string, AccountModel> }

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
  /** What was copied of usage: by account and name, with the revision. */
  const ledger = new Map(accounts.map((id) => [id, new Map<string, ModelUsage>()]))

  const run = () => `${String(runs).padStart(8, '0')} of the test`
  const link: RedisNode = { ...clock.link, run }
  const now = (): Moment => ({ micros, tag: run().slice(0, 8) + run().slice(-8) })
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
      openModel(model(account), now())
      for (const key of keys) await putKeyRecord(link, account, key, version, activeKey)
      await seed(account)
    }
    assert.ok(await stampShard(link, await claimShard(link, shard, 'test'), version, link.run()))
    isVouched = true
    await compare()
  }

  async function seed(account: string): Promise<void> {
    const month = Math.max(model(account).month ?? 0, monthOf(Math.floor(micros / 1e6)))
    const settled = new Map<string, number>([['', 0]])
    for (const [name, { counters }] of ledger.get(account)!) {
      if (monthOf(Number.parseInt(name, 10) * 3600) !== month) continue
      const nanos = counters.get('u') ?? 0
      for (const owner of ['', name.split('|')[1]!]) settled.set(owner, (settled.get(owner) ?? 0) + nanos)
    }
    for (const [of, nanos] of settled) settled.set(of, Math.max(0, nanos))
    const byKey = new Map([...settled].filter(([of]) => of !== ''))
    const seen = await openSpends(link, [account])
    assert.equal(seen.get(account), openModel(model(account), now()))
    // Also as if something had been settled since it was looked at.
    for (const [before, said] of [
      ['', new Map<string, string>()],
      [seen.get(account)!, seen]
    ] as const) {
      const outcome = seedModel(model(account), month, settled, before, now())
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

    async setTime(to: number): Promise<void> {
      micros = to
      await clock.set(micros)
    },

    /** Control writes the records of an account anew. */
    async change(): Promise<void> {
      version++
      for (const account of accounts) {
        await putAccountRecord(link, account, version, accountRecord)
        openModel(model(account), now())
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

    /** @param groups of one account each */
    async settle(
      groups: ReadonlyArray<{ account: string; requests: SettledRequest[] }>,
      isRetry: (request: SettledRequest) => boolean = () => false
    ): Promise<void> {
      const parts = groups.flatMap(({ account, requests }) =>
        [true, false].flatMap((retried) => {
          const some = requests.filter((request) => isRetry(request) === retried)
          return some.length === 0 ? [] : [{ account, requests: some, isRetry: retried }]
        })
      )
      const prepared = parts.map((part) => ({ ...part, account: prepareAccount(part.account) }))
      assert.deepEqual(await settle(link, prepared), [])
      // What was tried before goes first: nothing has to be known of it.
      for (const { account, requests, isRetry } of parts.toSorted((one, two) => +two.isRetry - +one.isRetry)) {
        settleModel(
          model(account),
          requests.map((request) => ({ request, isRetry })),
          now()
        )
      }
      await compare()
    },

    async reap(account: string, most: number): Promise<void> {
      const before = [...model(account).holds.keys()]
      const nowMs = Math.floor(micros / 1000)
      const overdue = before.filter((id) => model(account).holds.get(id)!.deadline <= nowMs)
      const { charged, released } = await reap(link, account, most, longestHoldMs)
      const left = (await readState(client, account)).holds
      const ended = before.filter((id) => !left.has(id))
      assert.equal(charged + released, Math.min(most, overdue.length))
      assert.equal(ended.length, charged + released)
      assert.ok(ended.every((id) => overdue.includes(id)))
      assert.equal(charged, ended.filter((id) => model(account).holds.get(id)!.tag === now().tag).length)
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

    dump: async (): Promise<Dump> => ({ content: await readContent(client), models: structuredClone(models) }),

    /** Another Redis process, with these data or none: nothing is admitted before control has vouched for it. */
    async restart(dump: Dump | null): Promise<void> {
      runs++
      isVouched = false
      await client.flushall()
      if (dump !== null) await writeContent(client, dump.content, (name) => /^(deadlines|rows):/.test(name))
      models =
        dump === null ? new Map(accounts.map((id) => [id, emptyAccount()])) : structuredClone(new Map(dump.models))
      await clock.set(micros)
      await compare()
    }
  }
}

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
