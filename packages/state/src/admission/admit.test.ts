import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { accountName, accountShard, deadlinesName, monthNumber, shardMarker } from '../keyspace/names.ts'
import { callForAccount } from '../link/call-script.ts'
import { RedisAwayError, type RedisNode } from '../link/redis-link.ts'
import { claimShard, markVerified, openMonth } from '../projection/shard-markers.ts'
import { putAccountRecord, putAll, putKeyRecord } from '../projection/write-records.ts'
import { reap } from '../settlement/reap.ts'
import { cancel, tagOf } from '../settlement/settle.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { type LedgerSpend, openSpends, readSpend, type SeedOutcome, seedSpend } from '../spend/spend.ts'
import { changeAccount, changeKey, loseSpend, readState } from '../testing/account-state.ts'
import { activeKey, admitOne, settleOf } from '../testing/one-account.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { prepareAccount } from '../wire/packed.ts'
import { type AdmitAnswer, type Allowances, admit, type CostBound, prepareAdmission } from './admit.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }
const allowances: Allowances = {
  keyBudgetNanos: null,
  accountBudgetNanos: 1_000_000,
  adjusted: null,
  keyRequests: null,
  keyRequestBurst: null,
  requests: 60,
  requestBurst: 60,
  tokens: 1_000_000,
  tokenBurst: 1_000_000,
  concurrentRequests: 10,
  requestNanos: 500_000,
  windows: []
}
/** 100 prompt tokens at 1 nanodollar, and up to 100 output tokens at 10. */
const bound: CostBound = {
  promptPicos: 100_000,
  promptTokens: 100,
  outputPicos: 10_000,
  outputTokens: 1,
  wantedTokens: 100,
  minTokens: 10
}
const thisMonth = (): number => monthNumber(new Date())

testOnEveryRedis('admission', async (t, anyRun) => {
  const link = withRun(anyRun, 'the run of this test')
  const { client } = link

  t.beforeEach(async () => {
    // Spend is created in the open month.
    assert.ok(await verifyNow(link, shard, 9, link.run()))
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, activeKey)
    assert.ok(await verifyNow(link, shard, 11, link.run()))
  })

  async function ask(
    id: string,
    changed: Partial<Allowances & CostBound> = {},
    { of = link, holdMs = 60_000, reaped = false }: { of?: RedisNode; holdMs?: number; reaped?: boolean } = {}
  ): Promise<AdmitAnswer> {
    const judged = { key: '11', account: '10' }
    const all = { ...allowances, ...bound, ...changed }
    const admission = prepareAdmission(prepareAccount(account), 'key_1', judged, null, all, holdMs)
    return admitOne(of, admission, { id, model: 'a-model', bound: all }, reaped)
  }
  async function limitOf(id: string, changed: Partial<Allowances>): Promise<string | undefined> {
    const answer = await ask(id, changed)
    return answer.outcome === 'over-limit' ? answer.limit : undefined
  }
  const spend = () => readSpend(link, account, thisMonth())
  async function spendOfKey() {
    const { month, settled, reserved } = (await readState(client, account)).keys.get('key_1')!
    return { month, settled, reserved }
  }
  async function seed(ledger: LedgerSpend): Promise<SeedOutcome> {
    return (await seedSpend(link, [ledger], await openSpends(link, [ledger.account], ledger.month)))[0]!
  }
  async function settleOne(
    id: string,
    admitted: AdmitAnswer,
    changed: Partial<SettledRequest> = {},
    tried = '',
    of = link
  ) {
    assert.ok(admitted.outcome === 'admitted')
    const request: SettledRequest = {
      id,
      key: 'key_1',
      model: 'a-model',
      upstream: '',
      budgets: '',
      at: admitted.at,
      heldNanos: admitted.nanos,
      heldTokens: 100 + admitted.grantedTokens,
      tokensPerMinute: allowances.tokens,
      tokensRestMs: admitted.tokensRestMs,
      ...nothingCounted,
      costNanos: 300,
      promptTokens: 50,
      cachedTokens: 10,
      completionTokens: 25,
      failed: false,
      estimated: false,
      ...changed
    }
    await settleOf(of, account, [request], tried)
  }
  /** Amounts other than zero. */
  async function usage(): Promise<Record<string, number>> {
    const { usage } = await readState(client, account)
    assert.ok(usage.size <= 1)
    const [[name, { born: _born, isListed: _isListed, ...amounts }] = ['', { born: 0, isListed: 0 }]] = usage
    assert.ok(name === '' || name.endsWith('|key_1|a-model'))
    return Object.fromEntries(Object.entries<number>(amounts).filter(([, amount]) => amount !== 0))
  }

  t.test('the maximum cost of a request is reserved, and its actual cost is settled once', async () => {
    const admitted = await ask('req_1')
    assert.ok(admitted.outcome === 'admitted')
    assert.equal(admitted.grantedTokens, 100)
    assert.equal(admitted.nanos, 1100)
    assert.equal(admitted.requests, 60)
    assert.equal(admitted.requestsLeft, 59)
    assert.equal(admitted.tokensLeft, 999_800)
    assert.deepEqual(await spend(), { settled: 0, reserved: 1100 })
    await settleOne('req_1', admitted)
    assert.deepEqual(await spend(), { settled: 300, reserved: 0 })
    assert.deepEqual(await usage(), {
      revision: 1,
      requests: 1,
      promptTokens: 50,
      cachedTokens: 10,
      completionTokens: 25,
      costNanos: 300
    })
    await settleOne('req_1', admitted, {}, tagOf(link.run()))
    assert.deepEqual(await spend(), { settled: 300, reserved: 0 })
    assert.equal((await usage()).requests, 1)
    assert.equal((await readState(client, account)).holds.size, 0)
  })

  t.test('the same request is admitted once, however often it is sent', async () => {
    const [one, two] = [await ask('req_1'), await ask('req_1')]
    assert.ok(one.outcome === 'admitted' && two.outcome === 'admitted')
    assert.deepEqual([two.grantedTokens, two.nanos, two.at], [one.grantedTokens, one.nanos, one.at])
    assert.equal(two.requestsLeft, 59)
    assert.deepEqual(await spend(), { settled: 0, reserved: 1100 })
  })

  t.test('requests of a group are decided in order, each with what the earlier ones left', async () => {
    const judged = { key: '11', account: '10' }
    const admission = (changed: Partial<Allowances>) =>
      prepareAdmission(prepareAccount(account), 'key_1', judged, null, { ...allowances, ...changed }, 60_000)
    const requestOf = (id: string, wantedTokens: number) => ({
      id,
      model: 'a-model',
      bound: { ...bound, wantedTokens }
    })
    await cancel(link, account, ['req_3'])
    const budget = admission({ keyBudgetNanos: 600 + 600 + 200 + 199 })
    const requests = [
      requestOf('req_1', 50),
      requestOf('req_2', 50),
      requestOf('req_3', 50),
      requestOf('req_1', 50),
      requestOf('req_4', 100),
      requestOf('req_5', 50)
    ]
    const [answers] = await admit(link, [{ admission: budget, requests, reaped: false }])
    assert.ok(Array.isArray(answers))
    const brief = answers.map((answer) => (answer.outcome === 'admitted' ? answer.grantedTokens : answer.outcome))
    assert.deepEqual(brief, [50, 50, 'cancelled', 50, 29, 'over-budget'])
    assert.deepEqual(await spend(), { settled: 0, reserved: 600 + 600 + 390 })
    assert.equal((await readState(client, account)).holds.size, 3)
    const rates = answers.flatMap((answer) => (answer.outcome === 'admitted' ? [answer.requestsLeft] : []))
    assert.deepEqual(rates, [59, 58, 58, 57])
    const others = { admission: budget, requests: [requestOf('req_6', 1), requestOf('req_7', 1)], reaped: false }
    assert.deepEqual(await admit(withRun(link, 'another'), [others]), [{ outcome: 'unverified' }])
    const few = admission({ concurrentRequests: 4 })
    const [limited] = await admit(link, [
      { admission: few, requests: ['req_8', 'req_9'].map((id) => requestOf(id, 10)), reaped: false }
    ])
    assert.ok(Array.isArray(limited))
    assert.deepEqual(
      limited.map(({ outcome }) => outcome),
      ['admitted', 'over-limit']
    )
  })

  t.test('the budgets limit the granted output, down to the minimum of the request', async () => {
    const granted = async (id: string, changed: Partial<Allowances>) => {
      const answer = await ask(id, changed)
      return answer.outcome === 'admitted' ? answer.grantedTokens : answer
    }
    assert.equal(await granted('req_1', { requestNanos: 605 }), 50)
    assert.equal(await granted('req_2', { keyBudgetNanos: 600 + 200 }), 10)
    assert.deepEqual(await granted('req_3', { keyBudgetNanos: 600 + 200 + 199 }), {
      outcome: 'over-budget',
      scope: 'key',
      limit: 999,
      settled: 0,
      reserved: 800,
      needed: 200,
      window: thisMonth(),
      budget: null
    })
    assert.equal(((await ask('req_4', { accountBudgetNanos: 999 })) as { scope: string }).scope, 'account')
    assert.equal(((await ask('req_5', { requestNanos: 199 })) as { scope: string }).scope, 'request')
    assert.deepEqual(await spend(), { settled: 0, reserved: 800 })
  })

  t.test('a request that a limit refuses takes nothing', async () => {
    for (let count = 1; count <= 3; count++)
      assert.equal((await ask(`req_${count}`, { requests: 3, requestBurst: 3 })).outcome, 'admitted')
    const fourth = await ask('req_4', { requests: 3, requestBurst: 3 })
    assert.ok(fourth.outcome === 'over-limit')
    assert.equal(fourth.limit, 'requests')
    assert.ok(fourth.waitMs > 0 && fourth.waitMs <= 20_000)
    assert.equal(fourth.requestsLeft, 0)
    assert.equal(await limitOf('req_5', { concurrentRequests: 3 }), 'concurrent')
    assert.equal((await readState(client, account)).holds.size, 3)
    await changeAccount(client, account, { arrival: 0, tokenArrival: 0 })
    assert.equal(await limitOf('req_6', { tokens: 199, tokenBurst: 199 }), 'tokens')
    assert.equal(await limitOf('req_7', { keyRequests: 1, keyRequestBurst: 1 }), undefined)
    assert.equal(await limitOf('req_8', { keyRequests: 1, keyRequestBurst: 1 }), 'requests')
    assert.equal((await readState(client, account)).holds.size, 4)
    assert.deepEqual(await spend(), { settled: 0, reserved: 4400 })
  })

  t.test('a cancelled request costs nothing, even if its admission arrives later', async () => {
    await ask('req_1')
    await cancel(link, account, ['req_1', 'req_2'])
    assert.deepEqual(await spend(), { settled: 0, reserved: 0 })
    assert.deepEqual(await ask('req_2'), { outcome: 'cancelled' })
    await cancel(link, account, ['req_1'])
    assert.deepEqual(await ask('req_1'), { outcome: 'cancelled' })
    assert.deepEqual(await spend(), { settled: 0, reserved: 0 })
    assert.deepEqual(await usage(), {})
  })

  t.test('requests that were admitted and cancelled leave nothing', async () => {
    await ask('req_0')
    await cancel(link, account, ['req_0'])
    const before = (await client.keys('*')).sort()
    const fields = await client.hlen(accountName(account))
    for (let n = 1; n <= 50; n++) {
      const id = `req_${n}`
      assert.equal((await ask(id)).outcome, 'admitted')
      await cancel(link, account, [id])
    }
    assert.deepEqual((await client.keys('*')).sort(), before)
    assert.equal(await client.hlen(accountName(account)), fields)
  })

  t.test('overdue holds are charged in full, and a late settlement corrects the charge', async () => {
    const admitted = await ask('req_1', {}, { holdMs: 0 })
    assert.deepEqual(await ask('req_2'), { outcome: 'overdue' })
    assert.deepEqual(await client.tgFindOverdue(deadlinesName(shard), 10), [account])
    assert.deepEqual(await reap(link, account, 10, 60_000), { charged: 1, released: 0 })
    assert.deepEqual(await spend(), { settled: 1100, reserved: 0 })
    assert.deepEqual(await usage(), {
      revision: 1,
      requests: 1,
      promptTokens: 100,
      completionTokens: 100,
      costNanos: 1100,
      estimatedRequests: 1,
      estimatedNanos: 1100
    })
    assert.equal((await readState(client, account)).account?.due, 0)
    assert.deepEqual(await client.tgFindOverdue(deadlinesName(shard), 10), [])
    await settleOne('req_1', admitted)
    assert.deepEqual(await spend(), { settled: 300, reserved: 0 })
    assert.deepEqual(await usage(), {
      revision: 2,
      requests: 1,
      promptTokens: 50,
      cachedTokens: 10,
      completionTokens: 25,
      costNanos: 300
    })
    await settleOne('req_1', admitted, {}, tagOf(link.run()))
    assert.deepEqual(await spend(), { settled: 300, reserved: 0 })
  })

  /** Another process with the same data. Control found that it lacks usage of these runs, which the ledger has. */
  async function restart(lostRuns: string[]): Promise<RedisNode> {
    const later = withRun(link, 'another run, much later')
    const verdict = { version: 11, run: later.run(), lostRuns }
    assert.ok(await markVerified(link, await claimShard(link, shard, 'restart'), verdict))
    return later
  }
  const tried = tagOf(link.run())

  t.test(
    'after a restart, retried settlements and overdue holds wait until control has verified the shard',
    async () => {
      await ask('req_1', {}, { holdMs: 0 })
      const later = withRun(link, 'another run, much later')
      assert.deepEqual(await reap(later, account, 10, 60_000), { charged: 0, released: 0 })
      const admitted = await ask('req_2', {}, { reaped: true })
      const before = await readState(client, account)
      await assert.rejects(settleOne('req_2', admitted, {}, tried, later), RedisAwayError)
      assert.deepEqual(await readState(client, account), before)
      // A first attempt is settled at once.
      await settleOne('req_2', admitted, {}, '', later)
      assert.deepEqual(await spend(), { settled: 300, reserved: 1100 })
    }
  )

  t.test('after a restart without loss, a retried settlement is charged once, and overdue holds in full', async () => {
    const admitted = await ask('req_1')
    await ask('req_2', {}, { holdMs: 0 })
    const later = await restart([])
    await settleOne('req_1', admitted, {}, tried, later)
    assert.deepEqual(await spend(), { settled: 300, reserved: 1100 })
    await settleOne('req_1', admitted, {}, tried, later)
    await settleOne('req_1', admitted, {}, tried + tagOf(later.run()), later)
    assert.deepEqual(await spend(), { settled: 300, reserved: 1100 })
    assert.deepEqual(await reap(later, account, 10, 60_000), { charged: 1, released: 0 })
    assert.deepEqual(await spend(), { settled: 1400, reserved: 0 })
  })

  t.test('a settlement that may be lost counts for the budgets, and not as usage', async () => {
    const admitted = await ask('req_1')
    await ask('req_2', {}, { holdMs: 0 })
    const later = await restart(['0123456789abcdef', tried])
    await settleOne('req_1', admitted, {}, tried, later)
    assert.deepEqual(await spend(), { settled: 300, reserved: 1100 })
    // The same without a hold.
    await settleOne('req_3', admitted, {}, tried, later)
    assert.deepEqual(await spend(), { settled: 600, reserved: 1100 })
    // The hold of a dead gateway is only released, since it may have been settled.
    assert.deepEqual(await reap(later, account, 10, 60_000), { charged: 0, released: 1 })
    assert.deepEqual(await spend(), { settled: 600, reserved: 0 })
    assert.deepEqual(await usage(), {})
    // An earlier attempt at a run that lost nothing is settled as usual.
    const another = await ask('req_4', {}, { of: later })
    await settleOne('req_4', another, {}, 'fedcba9876543210', later)
    assert.deepEqual(await spend(), { settled: 900, reserved: 0 })
    assert.equal((await usage()).requests, 1)
  })

  t.test('control opens months, not the clock of Redis', async () => {
    const month = thisMonth()
    const next = month % 100 === 12 ? month + 89 : month + 1
    await openMonth(link, [shard], 202001)
    assert.equal((await ask('req_1')).outcome, 'admitted')
    assert.equal((await readState(client, account)).account?.month, month)
    await openMonth(withRun(link, 'another'), [shard], next)
    const before = await ask('req_2')
    assert.ok(before.outcome === 'admitted')
    assert.equal(monthNumber(new Date(before.at * 1000)), month)
    await openMonth(link, [shard], next)
    const after = await ask('req_3')
    assert.ok(after.outcome === 'admitted')
    assert.equal(new Date(after.at * 1000).toISOString().slice(8), '01T00:00:00.000Z')
    assert.equal(monthNumber(new Date(after.at * 1000)), next)
    // Neither the hold nor the cost of the earlier request belongs to this month.
    assert.deepEqual(await readSpend(link, account, next), { settled: 0, reserved: 1100 })
    await settleOne('req_2', before)
    assert.deepEqual(await readSpend(link, account, next), { settled: 0, reserved: 1100 })
  })

  t.test('without an open month nothing is admitted', async () => {
    await client.del(shardMarker(shard))
    const claim = await claimShard(link, shard, 'test')
    assert.ok(await markVerified(link, claim, { version: 11, run: link.run() }))
    assert.equal((await ask('req_1')).outcome, 'unverified')
  })

  t.test('overdue holds are found among thousands of keys, and reaped in parts', async () => {
    const keys = Array.from({ length: 2500 }, (_, number) => ({
      kind: 'key' as const,
      account,
      key: `key_${number}`,
      version: 11,
      record: activeKey
    }))
    await putAll(link, keys)
    const roomy = { concurrentRequests: 1000, requests: 1000 }
    for (let number = 0; number < 30; number++)
      await ask(`req_${number}`, roomy, { holdMs: number % 3 === 2 ? 60_000 : 0, reaped: true })
    const { deadline } = (await readState(client, account)).holds.get('req_2')!
    assert.deepEqual(await reap(link, account, 15, 60_000), { charged: 15, released: 0 })
    assert.deepEqual(await ask('req_30', roomy), { outcome: 'overdue' })
    assert.deepEqual(await reap(link, account, 15, 60_000), { charged: 5, released: 0 })
    const left = await readState(client, account)
    assert.deepEqual([left.holds.size, left.account!.open, left.account!.due], [10, 10, deadline])
  })

  t.test('a hold that is made during a search for overdue holds keeps its deadline', async () => {
    await ask('req_1')
    const prepared = prepareAccount(account)
    const [bound, earlier] = [Date.now() + 50_000, Date.now() + 40_000]
    for (const [first, due] of [
      ['', bound],
      [bound + 5, bound],
      [earlier, earlier]
    ] as const) {
      assert.deepEqual(await callForAccount(link, prepared, 'tgReap', [first, bound, '']), [0, 0])
      assert.equal((await readState(client, account)).account!.due, due)
      assert.equal(Number(await client.zscore(deadlinesName(shard), account)), due)
    }
    // A hold that was found, but is not overdue.
    const { deadline } = (await readState(client, account)).holds.get('req_1')!
    assert.deepEqual(await callForAccount(link, prepared, 'tgReap', ['', bound + 1e6, '', 'req_1', 'req_2']), [0, 0])
    assert.equal((await readState(client, account)).account!.due, deadline)
  })

  t.test('a change of records leaves the rest of the account unchanged', async () => {
    await ask('req_1', { keyRequests: 10, keyRequestBurst: 10 })
    await cancel(link, account, ['req_2'])
    const { account: entry, keys, ...rest } = await readState(client, account)
    assert.ok(rest.endedUntil > Date.now() && rest.holds.size === 1 && entry!.reserved > 0)
    await putAccountRecord(link, account, 20, free)
    await putKeyRecord(link, account, 'key_1', 21, activeKey)
    await seed({ account, month: thisMonth(), settled: 0, byKey: new Map([['key_1', 0]]) })
    assert.deepEqual(await readState(client, account), {
      account: { ...entry, version: 20 },
      keys: new Map([['key_1', { ...keys.get('key_1'), version: 21 }]]),
      ...rest
    })
  })

  t.test('a request is settled by its first attempt even if Redis lost its hold', async () => {
    const admitted = await ask('req_1')
    await loseSpend(client, account)
    await seed({ account, month: thisMonth(), settled: 5, byKey: new Map([['key_1', 5]]) })
    await settleOne('req_1', admitted)
    assert.deepEqual(await spend(), { settled: 305, reserved: 0 })
    await settleOne('req_1', admitted, {}, tagOf(link.run()))
    assert.deepEqual(await spend(), { settled: 305, reserved: 0 })
  })

  t.test('nothing is admitted before spend is seeded; the larger of Redis and ledger counts', async () => {
    await loseSpend(client, account)
    assert.deepEqual(await ask('req_1'), { outcome: 'unverified' })
    await putAccountRecord(link, account, 10, free)
    const knows = (settled: number, of: number) =>
      seed({ account, month: thisMonth(), settled, byKey: new Map([['key_1', of]]) })
    assert.equal(await knows(700, 600), 'seeded')
    assert.equal(await knows(500, 650), 'seeded')
    assert.deepEqual(await spend(), { settled: 700, reserved: 0 })
    assert.deepEqual(await spendOfKey(), { month: thisMonth(), settled: 650, reserved: 0 })
    assert.equal(await seed({ account, month: 202001, settled: 900, byKey: new Map() }), 'another month')
    assert.equal(
      (await ask('req_2', { accountBudgetNanos: 1799, keyRequests: 10, keyRequestBurst: 10 })).outcome,
      'admitted'
    )
    assert.deepEqual(await spend(), { settled: 700, reserved: 1090 })
    // Rates stay unchanged, and amounts of an earlier month count as 0.
    const before = (await readState(client, account)).keys.get('key_1')!
    assert.ok(before.arrival > 0)
    assert.equal(await knows(900, 800), 'seeded')
    assert.deepEqual((await readState(client, account)).keys.get('key_1'), { ...before, settled: 800 })
    await changeKey(client, account, 'key_1', { ...before, month: 202001, settled: 5000 })
    assert.equal(await knows(900, 850), 'seeded')
    assert.deepEqual((await readState(client, account)).keys.get('key_1'), { ...before, settled: 850, reserved: 0 })
  })

  t.test('a larger amount of the ledger is refused if the spend has changed since it was read', async () => {
    const knows = (settled: number): LedgerSpend[] => [{ account, month: thisMonth(), settled, byKey: new Map() }]
    const seen = await openSpends(link, [account], thisMonth())
    const admitted = await ask('req_1')
    // A reservation is no change of the spend.
    assert.deepEqual(await seedSpend(link, knows(100), seen), ['seeded'])
    const later = await openSpends(link, [account], thisMonth())
    await settleOne('req_1', admitted)
    assert.deepEqual(await seedSpend(link, knows(500), later), ['changed'])
    assert.deepEqual(await spend(), { settled: 400, reserved: 0 })
    assert.deepEqual(await seedSpend(link, knows(400), later), ['seeded'])
    assert.deepEqual(await seedSpend(link, knows(500), await openSpends(link, [account], thisMonth())), ['seeded'])
    assert.deepEqual(await spend(), { settled: 500, reserved: 0 })
  })

  t.test('amounts of an earlier month count as 0', async () => {
    await changeAccount(client, account, { month: 202001, settled: 999_999, reserved: 5 })
    await changeKey(client, account, 'key_1', { month: 202001, settled: 1, reserved: 1, arrival: 0 })
    assert.deepEqual(await spend(), { settled: 0, reserved: 0 })
    const admitted = await ask('req_1')
    assert.deepEqual(await spend(), { settled: 0, reserved: 1100 })
    assert.deepEqual(await spendOfKey(), { month: thisMonth(), settled: 0, reserved: 1100 })
    // Admitted in January 2020, so its cost belongs to that month.
    await settleOne('req_1', admitted, { at: 1_578_000_000 })
    assert.deepEqual(await spend(), { settled: 0, reserved: 1100 })
    assert.match([...(await readState(client, account)).usage.keys()][0]!, /^438333:.*~\d+\|key_1\|a-model$/)
  })

  t.test('a settlement begins a month without admissions', async () => {
    const admitted = await ask('req_1')
    // An older state of Redis that control has verified.
    await loseSpend(client, account)
    await changeAccount(client, account, { month: 202001, settled: 999_999, reserved: 5 })
    await changeKey(client, account, 'key_1', { month: 202001, settled: 1, reserved: 1, arrival: 0 })
    await settleOne('req_1', admitted)
    assert.deepEqual(await spend(), { settled: 300, reserved: 0 })
    assert.deepEqual(await spendOfKey(), { month: thisMonth(), settled: 300, reserved: 0 })
    // The same if only other keys were used in the month.
    await changeKey(client, account, 'key_1', { month: 202001, settled: 9, reserved: 9, arrival: 0 })
    await settleOne('req_2', admitted)
    assert.deepEqual(await spendOfKey(), { month: thisMonth(), settled: 300, reserved: 0 })
    assert.deepEqual(await spend(), { settled: 600, reserved: 0 })
  })

  t.test('unused tokens are given back to the token rate', async () => {
    const before = await ask('req_1', { tokens: 1000, tokenBurst: 1000 })
    await settleOne('req_1', before, { tokensPerMinute: 1000 })
    const after = await ask('req_2', { tokens: 1000, tokenBurst: 1000 })
    assert.ok(after.outcome === 'admitted')
    // The time of admission is known to the second.
    assert.ok(Math.abs(after.tokensLeft - (1000 - 75 - 200)) <= 20, `${after.tokensLeft}`)
  })
})
