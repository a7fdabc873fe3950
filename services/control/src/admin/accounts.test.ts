import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type {
  AdminAccount,
  AdminAccountListing,
  AdminAccountsResponse
} from '@tollgate/contracts/http/admin/accounts.ts'
import { eq, sql } from 'drizzle-orm'
import { startBilling } from '../billing/testing/start-billing.ts'
import { accounts } from '../database/schema/accounts.ts'
import { adjustments } from '../database/schema/audit.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import { sessions } from '../database/schema/users.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { type CallOptions, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { monthOf } from '../usage/usage-range.ts'

onDatabase('accounts for operators', async (t, newDatabase) => {
  const billing = await startBilling({ databaseUrl: await newDatabase() })
  t.after(() => billing.close())
  const { control, payments } = billing
  const { call } = control
  const { orm } = control.database
  const operator = await control.signUpOperator()
  const by = { cookie: operator.cookie }
  const list = async (query: Record<string, string> = {}): Promise<AdminAccountsResponse> => {
    const answer = await call('GET', `/api/admin/accounts?${new URLSearchParams(query)}`, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as AdminAccountsResponse
  }
  const idsOf = async (query: Record<string, string>) => (await list(query)).accounts.map(({ id }) => id)
  const show = async (id: string): Promise<AdminAccount> => {
    const answer = await call('GET', `/api/admin/accounts/${id}`, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as { account: AdminAccount }).account
  }
  const createKey = async (body: object, options: CallOptions) => {
    const answer = await call('POST', '/api/keys', { ...options, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return (answer.body as { key: { id: string; value: string } }).key
  }

  const ada = await control.signUp({ plan: 'team', name: 'Ada' })
  const seat = await control.signUp({ name: 'Sam' })
  await teamOf(control).joined(ada, seat)
  const bob = await control.signUp({ plan: 'pro', name: 'Bob' })
  const eve = await control.signUp({ name: 'Eve' })
  const everybody = [ada, seat, bob, eve, operator]
  const key = await createKey({ label: 'production', metadata: { tenant: 'acme_50%', region: 'eu' } }, ada)
  const month = monthOf(control.now())
  await addLedgerMonths(orm, new Date(month.from.getTime() - 1), month.to)

  const spend = (accountId: string, costNanos: number, hour = month.from) =>
    orm.insert(ledger).values({
      accountId,
      hour,
      costNanos,
      keyId: key.id,
      model: 'm',
      revision: 1,
      run: randomUUID(),
      requests: 1,
      errors: 0,
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0
    })
  const adjust = (accountId: string, nanos: number, of = month.from) =>
    orm.insert(adjustments).values({
      id: randomUUID(),
      accountId,
      month: of,
      nanos,
      reason: 'goodwill',
      actorId: operator.id,
      at: control.now()
    })

  await t.test('accounts are sorted by what they spent this month, with adjustments and never below zero', async () => {
    await spend(ada.id, 2_000_000_000)
    await spend(ada.id, 1_500_000_001)
    await spend(bob.id, 12_000_000_000)
    await adjust(bob.id, -2_000_000_000)
    await spend(eve.id, 9_000_000_000, new Date(month.from.getTime() - 3_600_000))
    await adjust(eve.id, -1)
    await adjust(seat.id, 7, new Date(month.from.getTime() - 31 * 86_400_000))
    const { accounts: all, has_more, next_cursor } = await list()
    assert.deepEqual([all.length, has_more, next_cursor], [everybody.length, false, null])
    const spends = all.map(({ id, spent_usd }) => [id, spent_usd])
    assert.deepEqual(spends.slice(0, 2), [
      [bob.id, '10.00'],
      [ada.id, '3.500000001']
    ])
    assert.ok(spends.slice(2).every(([, spent]) => spent === '0.00'))
    const first = all[1] as AdminAccountListing
    assert.deepEqual(
      { ...first, created_at: '' },
      {
        id: ada.id,
        email: ada.email,
        name: 'Ada',
        plan: 'team',
        status: 'active',
        suspended_for: [],
        team: null,
        past_due: false,
        people: 2,
        keys: 1,
        spent_usd: '3.500000001',
        created_at: ''
      }
    )
  })

  await t.test('pages continue where the last one ended, in both orders, also among equals', async () => {
    for (const sort of ['spend', 'created']) {
      const whole = await idsOf({ sort })
      for (const limit of ['1', '2', '4', '5']) {
        const seen: string[] = []
        let page = await list({ sort, limit })
        for (;;) {
          seen.push(...page.accounts.map(({ id }) => id))
          assert.equal(page.has_more, page.next_cursor !== null)
          if (page.next_cursor === null) break
          page = await list({ sort, limit, cursor: page.next_cursor })
        }
        assert.deepEqual(seen, whole, `${sort} by ${limit}`)
      }
    }
    // Rows are versioned by the projection, so the order of creation is that of signing up.
    assert.equal((await idsOf({ sort: 'created' })).at(-1), operator.id)
  })

  await t.test('a cursor of another order, of another month or of nobody is refused', async () => {
    const [bySpend, byCreation] = await Promise.all([list({ limit: '1' }), list({ limit: '1', sort: 'created' })])
    const forged = (text: string) => Buffer.from(text).toString('base64url')
    const farMonth = forged(`${Date.parse('9999-12-01')}.5.${ada.id}`)
    for (const [sort, cursor] of [
      ['created', bySpend.next_cursor!],
      ['spend', byCreation.next_cursor!],
      ['spend', farMonth],
      ['spend', forged(`${month.from.getTime()}.1e3.${ada.id}`)],
      ['spend', forged(`${month.from.getTime()}.9999999999999999999.${ada.id}`)],
      ['created', forged("1.' or true --")],
      ['created', 'x']
    ] as const) {
      const answer = await call('GET', `/api/admin/accounts?sort=${sort}&cursor=${cursor}`, by)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], cursor)
    }
  })

  await t.test('a search finds owners, seats, ids, keys and metadata, and knows no wildcards', async () => {
    const name = ada.email.split('@')[0]!
    for (const [q, expected] of [
      [ada.email, [ada.id]],
      [name.slice(3, 20).toUpperCase(), [ada.id]],
      [seat.email, [ada.id, seat.id]],
      [` ${bob.id} `, [bob.id]],
      [bob.id.slice(0, 12).toUpperCase(), [bob.id]],
      [bob.id.slice(1), []],
      [bob.id.slice(0, 3), []],
      [key.id, [ada.id]],
      [key.id.slice(0, -1), []],
      ['acme_50%', [ada.id]],
      ['eu', [ada.id]],
      ['acme_50', []],
      ['ACME_50%', []],
      ['%', []],
      ['_', []],
      [`${name.slice(0, 8)}%`, []],
      ['\\', []],
      ["' or true --", []],
      ['"', []]
    ] as const) {
      assert.deepEqual((await idsOf({ q })).sort(), [...expected].sort(), q)
    }
    assert.equal((await idsOf({ q: '@EXAMPLE.com' })).length, everybody.length)
    assert.deepEqual(await idsOf({ q: seat.email, sort: 'created' }), [seat.id, ada.id])
  })

  await t.test('filters combine; plans are those in force', async () => {
    assert.deepEqual(await idsOf({ plan: 'pro' }), [bob.id])
    await orm.update(accounts).set({ overridePlan: 'team' }).where(eq(accounts.id, bob.id))
    await orm.update(accounts).set({ plan: 'gone' }).where(eq(accounts.id, eve.id))
    assert.deepEqual(await idsOf({ plan: 'pro' }), [])
    assert.deepEqual(await idsOf({ plan: 'team' }), [bob.id, ada.id])
    assert.ok((await idsOf({ plan: 'free' })).includes(eve.id), 'a plan that the catalog lacks is the free plan')
    assert.deepEqual(await idsOf({ plan: 'gone' }), [])
    assert.deepEqual(await idsOf({ status: 'in_team' }), [seat.id])
    assert.deepEqual(await idsOf({ status: 'suspended' }), [])
    for (const [suspensions, status] of [
      [['team', 'operator'], 'suspended'],
      [['approval'], 'waiting'],
      [['approval', 'deleted'], 'suspended']
    ] as const) {
      await orm
        .update(accounts)
        .set({ suspensions: [...suspensions] })
        .where(eq(accounts.id, eve.id))
      for (const one of ['active', 'suspended', 'waiting', 'in_team']) {
        assert.equal((await idsOf({ status: one })).includes(eve.id), one === status, `${suspensions}: ${one}`)
      }
    }
    await orm.update(accounts).set({ suspensions: [] }).where(eq(accounts.id, eve.id))
    assert.deepEqual(await idsOf({ status: 'active', q: seat.email }), [ada.id])
    assert.deepEqual(await idsOf({ past_due: 'true' }), [])
    await billing.buy(bob)
    await orm.execute(sql`update customers set is_past_due = true where account_id = ${bob.id}`)
    assert.deepEqual(await idsOf({ past_due: 'true' }), [bob.id])
    for (const query of ['status=gone', 'past_due=false', 'sort=name', 'limit=0', 'limit=101', 'q=', 'q=%00', 'x=1']) {
      assert.equal((await call('GET', `/api/admin/accounts?${query}`, by)).status, 400, query)
    }
  })

  await t.test('an account shows its users, keys, adjustments, log and where its limits come from', async () => {
    await orm.update(accounts).set({ ownCapNanos: 1_000_000_000 }).where(eq(accounts.id, ada.id))
    await adjust(ada.id, -1_500_000_000)
    const old = await createKey({ label: 'old' }, ada)
    assert.equal((await call('DELETE', `/api/keys/${old.id}`, ada)).status, 200)
    const expiring = await createKey({ label: 'expiring' }, ada)
    await orm.update(keys).set({ expiresAt: control.now() }).where(eq(keys.id, expiring.id))
    const account = await show(ada.id)
    assert.deepEqual(
      account.users.map(({ email, role, sessions }) => [email, role, sessions]),
      [
        [ada.email, 'owner', 2],
        [seat.email, 'seat', 1]
      ]
    )
    assert.deepEqual([account.people, account.keys], [2, 1])
    assert.deepEqual(
      account.key_list.map(({ id, status }) => [id, status]),
      [
        [key.id, 'active'],
        [expiring.id, 'expired'],
        [old.id, 'revoked']
      ]
    )
    assert.deepEqual(
      account.adjustments.map(({ amount_usd, month: of, reason }) => [amount_usd, of, reason]),
      [['-1.50', month.from.toISOString().slice(0, 7), 'goodwill']]
    )
    assert.equal(account.limits.monthly_budget_usd.from, 'owner')
    assert.equal(account.limits.requests_per_minute.from, 'plan')
    assert.equal(account.reserved_usd, '0.00')
    assert.deepEqual([account.subscription, account.invoices], [null, []])
    assert.ok(account.audit.some(({ action, subject }) => action === 'key.created' && subject === key.id))
  })

  await t.test('an account shows its plan, subscription and invoices; without the provider, no invoices', async () => {
    const account = await show(bob.id)
    assert.deepEqual([account.plan, account.own_plan], ['team', 'pro'])
    assert.deepEqual(account.plan_override, { id: 'team', ends_at: null })
    assert.match(account.subscription!.customer_id, /^cus_/)
    assert.deepEqual([account.subscription!.past_due, account.past_due], [true, true])
    assert.equal(account.invoices!.length, 1)
    assert.ok(account.invoices![0]!.amount > 0)
    payments.controls.failNext({ status: 500, count: 1000 })
    const without = await show(bob.id)
    payments.controls.clearFailures()
    assert.equal(without.invoices, null)
    assert.deepEqual(without.subscription, account.subscription)
    assert.ok(control.logged.some((line) => line.includes('the invoices of an account could not be read')))
  })

  await t.test('an id in capitals is the same id; any other text is not found', async () => {
    assert.equal((await show(ada.id.toUpperCase())).id, ada.id)
    for (const id of [randomUUID(), 'x', `${ada.id}0`, '%25', "'"]) {
      const answer = await call('GET', `/api/admin/accounts/${id}`, by)
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'], id)
    }
  })

  await t.test('no answer contains a secret, a digest or a session', async () => {
    const text = JSON.stringify([await show(ada.id), await show(operator.id), await list()])
    const digests = await orm.select({ digest: keys.digest }).from(keys)
    const hashes = await orm.select({ digest: sessions.tokenHash }).from(sessions)
    assert.ok(digests.length > 0 && hashes.length > 0)
    for (const { digest } of [...digests, ...hashes]) assert.ok(!text.includes(digest))
    assert.ok(!text.includes(key.value))
    for (const { password, cookie } of everybody) {
      assert.ok(!text.includes(password) && !text.includes(cookie.split('=')[1]!))
    }
  })
})
