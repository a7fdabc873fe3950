import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { CreateKeyResponse, ListKeysResponse } from '@tollgate/contracts/http/keys.ts'
import { scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import { noteProcess, removeProcess } from '@tollgate/state/processes/heartbeat.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { eq, sql } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { newKeyId } from '../database/key-id.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'
import type { Answer } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { monthOf } from '../usage/usage-range.ts'

interface Created {
  id: string
  label: string
  value: string
}
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const messageOf = (answer: Answer) => (answer.body as { error: { message: string } }).error.message
const createdOf = (answer: Answer) => {
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return (answer.body as { key: Created }).key
}
const listOf = (answer: Answer) => {
  assert.equal(answer.status, 200)
  return (answer.body as { keys: Array<{ id: string; label: string }> }).keys
}

onDatabase('keys', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call, database } = control
  const create = (cookie: string, label = 'a key') => call('POST', '/api/keys', { cookie, body: { label } })
  const list = (cookie: string) => call('GET', '/api/keys', { cookie })
  const revoke = (cookie: string, id: string) => call('DELETE', `/api/keys/${id}`, { cookie })

  await t.test('a new key’s secret is shown once, and never in the list', async () => {
    const { cookie } = await control.signUp()
    const before = Date.now()
    const answer = await create(cookie, ' my <key> 🔑 ')
    const key = createdOf(answer)
    assert.ok(Value.Check(CreateKeyResponse, answer.body))
    assert.deepEqual(Object.keys(key).sort(), ['id', 'label', 'value'])
    assert.equal(key.label, ' my <key> 🔑 ')
    assert.equal(scopeOfSecret(key.value), 'inference')

    const listed = await list(cookie)
    assert.ok(Value.Check(ListKeysResponse, listed.body))
    const [entry] = (listed.body as { keys: Array<Record<string, unknown>> }).keys
    const { created, ...rest } = entry!
    assert.deepEqual(rest, {
      id: key.id,
      label: ' my <key> 🔑 ',
      prefix: key.value.slice(3, 11),
      status: 'active',
      paused: false,
      scope: 'inference',
      expires_at: null,
      models: null,
      addresses: null,
      monthly_budget_usd: null,
      budgets: [],
      on_exhausted: null,
      thresholds: null,
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null,
      metadata: {},
      last_used: null,
      old_secret_until: null,
      creator: 'Ada Lovelace',
      refusals: [],
      can_change: true
    })
    const at = Date.parse(String(created))
    assert.ok(at >= before && at <= Date.now())
    assert.ok(!JSON.stringify(listed.body).includes(key.value))
  })

  await t.test('only the digest of a secret is stored, and the log has no secret', async () => {
    const { cookie } = await control.signUp()
    const { id, value } = createdOf(await create(cookie))
    const [row] = await database.orm.select().from(keys).where(eq(keys.id, id))
    assert.equal(row!.digest, hash('sha256', value, 'hex'))
    assert.ok(!JSON.stringify(row).includes(value.slice(11)))
    assert.ok(!control.logged.join('\n').includes(value.slice(11)))
    await revoke(cookie, id)
    assert.ok(!control.logged.join('\n').includes(value.slice(11)))
  })

  await t.test('a key works at once: when control answers, Redis has its pointer and its record', async () => {
    const { id: account, cookie } = await control.signUp()
    const { id, value } = createdOf(await create(cookie))
    const pointer = await findPointer(control.redis, hash('sha256', value, 'hex'))
    assert.deepEqual(pointer, { key: id, account, scope: 'inference' })
  })

  await t.test('keys are listed newest first, without revoked keys', async () => {
    const { cookie } = await control.signUp({ plan: 'pro' })
    const ids: string[] = []
    for (const label of ['one', 'two', 'three']) {
      ids.push(createdOf(await create(cookie, label)).id)
      control.passTime(5)
    }
    assert.deepEqual(
      listOf(await list(cookie)).map(({ label }) => label),
      ['three', 'two', 'one']
    )
    assert.deepEqual((await revoke(cookie, ids[1]!)).body, { ok: true })
    assert.deepEqual(
      listOf(await list(cookie)).map(({ label }) => label),
      ['three', 'one']
    )
  })

  await t.test('keys are found by label, tag, first characters and id, and sorted page by page', async () => {
    const { cookie } = await control.signUp({ plan: 'team' })
    const made = new Map<string, { id: string; value: string }>()
    for (const label of ['beta', 'Alpha', 'gamma 100%', 'alpha_2', 'ALPHA']) {
      const body = { label, metadata: { tenant: `Acme ${label}` } }
      made.set(label, createdOf(await call('POST', '/api/keys', { cookie, body })))
      control.passTime(5)
    }
    const labels = async (query: Record<string, string>) => {
      const answer = await call('GET', `/api/keys?${new URLSearchParams(query)}`, { cookie })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.ok(Value.Check(ListKeysResponse, answer.body))
      return listOf(answer).map(({ label }) => label)
    }
    assert.deepEqual(await labels({ q: 'ALPHA' }), ['ALPHA', 'alpha_2', 'Alpha'])
    assert.deepEqual(await labels({ q: '0%' }), ['gamma 100%'])
    assert.deepEqual(await labels({ q: 'a_2' }), ['alpha_2'])
    assert.deepEqual(await labels({ q: 'acme b' }), ['beta'])
    assert.deepEqual(await labels({ q: made.get('beta')!.value.slice(0, 11) }), ['beta'])
    assert.deepEqual(await labels({ q: made.get('beta')!.id }), ['beta'])
    assert.deepEqual(await labels({ q: 'no such key' }), [])

    const paged: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: Record<string, string> = {
        sort: 'label',
        limit: '2',
        spend: 'true',
        ...(cursor !== '' && { cursor })
      }
      const answer = await call('GET', `/api/keys?${new URLSearchParams(query)}`, { cookie })
      const page = answer.body as { keys: Array<{ label: string; spent_usd: string }>; next_cursor: string | null }
      for (const { label, spent_usd: spent } of page.keys) {
        paged.push(label)
        assert.equal(Number(spent), 0)
      }
      cursor = page.next_cursor
    }
    assert.equal(paged.length, 5)
    assert.deepEqual(
      paged.map((label) => String(label).toLowerCase()),
      ['alpha', 'alpha', 'alpha_2', 'beta', 'gamma 100%']
    )
    await database.orm
      .update(keys)
      .set({ lastUsedAt: new Date() })
      .where(eq(keys.id, made.get('gamma 100%')!.id))
    assert.equal((await labels({ sort: 'last_used' }))[0], 'gamma 100%')
  })

  await t.test('keys are sorted by what they have spent this month, page by page', async () => {
    const { id: accountId, cookie } = await control.signUp({ plan: 'team' })
    const { from } = monthOf(new Date())
    const lastMonth = new Date(from.getTime() - 3_600_000)
    await addLedgerMonths(database.orm, from, lastMonth)
    const spend = (keyId: string, hour: Date, costNanos: number) =>
      database.orm
        .insert(ledger)
        .values({ accountId, hour, run: 'run-1', keyId, model: String(costNanos), costNanos, revision: 1 })
    for (const [label, spends] of Object.entries({ none: [], little: [5], corrected: [50, -60], much: [4, 6] })) {
      const { id } = createdOf(await create(cookie, label))
      for (const costNanos of spends) await spend(id, from, costNanos)
      if (label === 'little') await spend(id, lastMonth, 1000)
    }
    const listed: unknown[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ sort: 'spend', limit: '1', ...(cursor !== null && { cursor }) })
      const answer = await call('GET', `/api/keys?${query}`, { cookie })
      listed.push(...listOf(answer).map(({ label }) => label))
      cursor = (answer.body as { next_cursor: string | null }).next_cursor
    } while (cursor !== null)
    assert.deepEqual(listed.slice(0, 2), ['much', 'little'])
    assert.deepEqual(new Set(listed.slice(2)), new Set(['none', 'corrected']))
    assert.equal(listed.length, 4)
  })

  for (const [plan, quota] of [
    ['free', 1],
    ['pro', 5],
    ['team', 20]
  ] as const) {
    await t.test(`fifty concurrent creations on the ${plan} plan create exactly ${quota}`, async () => {
      const { cookie } = await control.signUp({ plan })
      const answers = await Promise.all(Array.from({ length: 50 }, (_, number) => create(cookie, `key ${number}`)))
      const refused = answers.filter(({ status }) => status !== 201)
      assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([403]))
      assert.deepEqual(new Set(refused.map(codeOf)), new Set(['key_quota_exceeded']))
      assert.equal(answers.length - refused.length, quota)
      assert.equal(listOf(await list(cookie)).length, quota)
    })
  }

  await t.test('enterprise has no quota', async () => {
    const { cookie } = await control.signUp({ plan: 'enterprise' })
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(cookie)))
    assert.equal(new Set(answers.map((answer) => createdOf(answer).id)).size, 30)
    assert.equal(listOf(await list(cookie)).length, 30)
  })

  await t.test('a revoked key makes room for another, and a lower plan keeps existing keys', async () => {
    const user = await control.signUp({ plan: 'pro' })
    const made = [createdOf(await create(user.cookie)), createdOf(await create(user.cookie))]
    await control.setPlan(user.id, 'free')
    const cookie = await control.signIn(user)
    assert.equal(listOf(await list(cookie)).length, 2)
    assert.equal(codeOf(await create(cookie)), 'key_quota_exceeded')
    await revoke(cookie, made[0]!.id)
    assert.equal(codeOf(await create(cookie)), 'key_quota_exceeded')
    await revoke(cookie, made[1]!.id)
    createdOf(await create(cookie))
  })

  await t.test('concurrent and repeated revocations succeed, and keep the time of the first', async () => {
    const { cookie } = await control.signUp()
    const { id } = createdOf(await create(cookie))
    const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(cookie, id)))
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, { ok: true }])
    const revokedAt = async () => (await database.orm.select().from(keys).where(eq(keys.id, id)))[0]!.revokedAt
    const first = await revokedAt()
    control.passTime(1000)
    assert.deepEqual((await revoke(cookie, id)).body, { ok: true })
    assert.deepEqual(await revokedAt(), first)
  })

  await t.test('concurrent creations and revocations never exceed the quota or deadlock', async () => {
    const { cookie } = await control.signUp({ plan: 'pro' })
    const made = await Promise.all(Array.from({ length: 5 }, async () => createdOf(await create(cookie)).id))
    const answers = await Promise.all(made.flatMap((id) => [revoke(cookie, id), create(cookie), create(cookie)]))
    for (const { status, body } of answers) {
      assert.ok(status === 200 || status === 201 || (status === 403 && /quota/.test(JSON.stringify(body))), `${status}`)
    }
    const left = listOf(await list(cookie)).length
    assert.ok(left <= 5, `${left}`)
  })

  await t.test(
    'a key of another account, an unknown and a malformed id are not found, a NUL is refused, and nothing happens',
    async () => {
      const owner = await control.signUp()
      const other = await control.signUp()
      const { id } = createdOf(await create(owner.cookie))
      const odd = ['none', 'key_', `${id}x`, '%27%3B--', '..%2f..%2fme', 'x'.repeat(90), '%F0%9F%98%80']
      for (const path of [id, newKeyId(), ...odd]) {
        const answer = await revoke(other.cookie, path)
        assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'], path)
      }
      for (const path of ['%00', `${id}%00`]) {
        const answer = await revoke(other.cookie, path)
        assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], path)
      }
      assert.equal(listOf(await list(owner.cookie)).length, 1)
      assert.equal(listOf(await list(other.cookie)).length, 0)
    }
  )

  await t.test('invalid labels are refused with 400, and the error names the field', async () => {
    const { cookie } = await control.signUp()
    for (const [body, message] of [
      [{}, /label/],
      [{ label: '' }, /label/],
      [{ label: 'x'.repeat(101) }, /label/],
      [{ label: 'x'.repeat(10_000) }, /label/],
      [{ label: 'a\0b' }, /label/],
      [{ label: 7 }, /label/],
      [{ label: null }, /label/],
      [{ label: ['x'] }, /label/],
      [{ label: 'x', scope: 'everything' }, /scope/],
      [{ label: 'x', plan: 'enterprise' }, /plan/]
    ] as const) {
      const answer = await call('POST', '/api/keys', { cookie, body })
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], JSON.stringify(body).slice(0, 50))
      assert.match(messageOf(answer), message)
    }
    for (const text of ['', 'null', '[]', '"label"']) {
      const answer = await control.app.inject({
        method: 'POST',
        url: '/api/keys',
        headers: { cookie, 'content-type': 'application/json' },
        payload: text
      })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'invalid_request'], text)
    }
    assert.equal(listOf(await list(cookie)).length, 0)
  })

  await t.test(
    'labels are stored unchanged: SQL, HTML, spaces, a hundred emoji; half an emoji and blanks are refused',
    async () => {
      const { cookie } = await control.signUp({ plan: 'enterprise' })
      const labels = [
        `'); drop table keys; --`,
        '<script>alert(1)</script>',
        '  x  ',
        '😀'.repeat(100),
        '__proto__',
        'a\u202e\n'
      ]
      for (const label of labels) {
        assert.equal(createdOf(await create(cookie, label)).label, label)
        control.passTime(5)
      }
      assert.deepEqual(
        listOf(await list(cookie))
          .map(({ label }) => label)
          .reverse(),
        labels
      )
      for (const label of ['half \ud83d', '  ', '\u202e\n']) {
        assert.equal(codeOf(await create(cookie, label)), 'invalid_request')
      }
    }
  )

  await t.test('tokens a minute and concurrent requests are set only while all gateways enforce them', async () => {
    const { cookie } = await control.signUp({ plan: 'pro' })
    const { id } = createdOf(await create(cookie))
    const limits = { tokens_per_minute: 40_000, concurrent_requests: 3 }
    const change = (body: object) => call('PATCH', `/api/keys/${id}`, { cookie, body })
    const changed = async (body: object) => {
      const answer = await change(body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const { key } = answer.body as { key: Record<string, unknown> }
      return [key.tokens_per_minute, key.concurrent_requests]
    }
    assert.deepEqual(await changed(limits), [40_000, 3])
    const gateway = { kind: 'gateway' as const, host: 'h', version: '1', startedAt: 1, errors: {} }
    await noteProcess(control.redis, { ...gateway, id: 'old' })
    for (const [name, value] of Object.entries({ tokens_per_minute: 1, concurrent_requests: 1 })) {
      const body = { label: 'x', [name]: value }
      for (const refused of [await change(body), await call('POST', '/api/keys', { cookie, body })]) {
        assert.deepEqual([refused.status, codeOf(refused)], [400, 'invalid_request'])
        assert.match(messageOf(refused), new RegExp(`^${name}: .* older release .* update all gateways`))
      }
    }
    assert.deepEqual(await changed({ ...limits, label: 'as they are' }), [40_000, 3])
    assert.deepEqual(await changed({ tokens_per_minute: null }), [null, 3])
    assert.deepEqual(await changed({ concurrent_requests: null }), [null, null])
    await removeProcess(control.redis, 'old')
    assert.deepEqual(await changed(limits), [40_000, 3])
  })

  await t.test('without a session every request is refused', async () => {
    const { cookie } = await control.signUp()
    const { id } = createdOf(await create(cookie))
    for (const wrong of [undefined, 'svc_session=forged', `svc_session=${'A'.repeat(43)}`, `${cookie}; ${cookie}`]) {
      const options = wrong === undefined ? {} : { cookie: wrong }
      for (const answer of [
        await call('GET', '/api/keys', options),
        await call('POST', '/api/keys', { ...options, body: { label: 'x' } }),
        await call('DELETE', `/api/keys/${id}`, options)
      ]) {
        assert.deepEqual([answer.status, codeOf(answer)], [401, 'not_authenticated'])
      }
    }
    assert.equal(listOf(await list(cookie)).length, 1)
  })

  await t.test('subdomains of the service can use the cookie, other sites cannot', async () => {
    const { cookie } = await control.signUp()
    const body = { label: 'x' }
    const cross = await call('POST', '/api/keys', { cookie, body, origin: 'https://evil.example' })
    assert.deepEqual([cross.status, codeOf(cross)], [403, 'csrf_rejected'])
    assert.equal(listOf(await list(cookie)).length, 0)
    const own = await call('POST', '/api/keys', { cookie, body, origin: 'http://localhost:3000' })
    const { id } = createdOf(own)
    const crossDelete = await call('DELETE', `/api/keys/${id}`, { cookie, origin: 'https://evil.example' })
    assert.deepEqual([crossDelete.status, codeOf(crossDelete)], [403, 'csrf_rejected'])
  })

  await t.test('an empty body with a JSON content type counts as no body', async () => {
    const { cookie } = await control.signUp()
    const { id } = createdOf(await create(cookie))
    const answer = await call('DELETE', `/api/keys/${id}`, { cookie, headers: { 'content-type': 'application/json' } })
    assert.deepEqual([answer.status, answer.body], [200, { ok: true }])
  })

  await t.test('every change has its own number, and each shard has its last number', async () => {
    const { orm } = database
    const rows = await orm.select({ version: keys.version }).from(keys)
    assert.ok(rows.length > 50)
    assert.equal(new Set(rows.map(({ version }) => version)).size, rows.length)
    const behind = await orm.$count(
      keys,
      sql`not exists (select 1 from shards where name = ${keys.accountShard} and shards.version >= ${keys.version})
        or not exists (select 1 from shards where name = ${keys.secretShard} and shards.version >= ${keys.version})`
    )
    assert.equal(behind, 0)
  })
})
