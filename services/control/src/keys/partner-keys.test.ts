import assert from 'node:assert/strict'
import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import type { Key } from '@tollgate/contracts/http/keys.ts'
import { digestSecret, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import { readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { readRedisTime } from '@tollgate/state/link/redis-link.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { eq, sql } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { keys as keyRows } from '../database/schema/keys.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const hourMs = 3_600_000

interface Created {
  id: string
  label: string
  value: string
}
const told = (answer: Answer, status = 201): Created => {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  return (answer.body as { key: Created }).key
}
const refusal = (answer: Answer) => [answer.status, codeOf(answer)]

onDatabase('keys for partners', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
  type By = { cookie: string } | { headers: Record<string, string> }
  const create = (by: By, body: object) => call('POST', '/api/keys', { ...by, body })
  const page = async (by: By, query = ''): Promise<{ keys: Key[]; next_cursor: string | null }> => {
    const answer = await call('GET', `/api/keys${query}`, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as { keys: Key[]; next_cursor: string | null }
  }
  const endNow = (id: string, what: 'previousUntil' | 'expiresAt') =>
    control.database.orm
      .update(keyRows)
      .set({ [what]: sql`now()` })
      .where(eq(keyRows.id, id))
  /** A key's record, which admission reads. */
  const recordOf = async (account: string, id: string) =>
    readKeyRecord((await control.redis.client.hget(accountName(account), `r:${id}`))!)
  const partner = async (plan = 'enterprise') => {
    const user = await control.signUp({ plan })
    const management = told(await create(user, { label: 'server', scope: 'management' }))
    return { user, management, server: bearer(management.value) }
  }

  await t.test('a revocation or rotation tells gateways to end open requests only if the caller asks', async () => {
    const { user, server } = await partner()
    const make = async () => told(await create(server, { label: 'one' })).id
    const cutsOf = async (id: string) => (await recordOf(user.id, id)).cutStreams
    const revoke = (id: string, query = '') => call('DELETE', `/api/keys/${id}${query}`, server)
    const rotate = (id: string, body: object) => call('POST', `/api/keys/${id}/rotate`, { ...server, body })

    const id = await make()
    const revokedAt = async () =>
      (await control.database.orm.select().from(keyRows).where(eq(keyRows.id, id)))[0]!.revokedAt
    for (const query of ['', '?cut_streams=false']) assert.equal((await revoke(id, query)).status, 200)
    assert.equal(await cutsOf(id), undefined)
    const first = await revokedAt()
    const repeated = await Promise.all(Array.from({ length: 3 }, () => revoke(id, '?cut_streams=true')))
    assert.deepEqual([...new Set(repeated.map(({ status }) => status))], [200])
    assert.deepEqual([await cutsOf(id), await revokedAt()], [true, first])
    assert.equal((await revoke(id)).status, 200)
    assert.equal(await cutsOf(id), true)

    const rotated = await make()
    told(await rotate(rotated, { cut_streams: true }), 200)
    assert.equal(await cutsOf(rotated), true)
    told(await rotate(rotated, { grace_seconds: 60 }), 200)
    assert.equal(await cutsOf(rotated), undefined)
    assert.deepEqual(refusal(await rotate(rotated, { grace_seconds: 60, cut_streams: true })), [400, 'invalid_request'])
    for (const query of ['?cut_streams=1', '?cut_stream=true']) {
      assert.deepEqual(refusal(await revoke(rotated, query)), [400, 'invalid_request'])
    }
  })

  await t.test('a server with a management key creates, lists, changes, rotates and revokes keys', async () => {
    const { user, management, server } = await partner()
    const key = told(await create(server, { label: 'tenant 1', metadata: { tenant: '1' } }))
    assert.equal(scopeOfSecret(key.value), 'inference')
    assert.equal((await recordOf(user.id, key.id)).digest, digestSecret(key.value))
    const { keys } = await page(server)
    assert.deepEqual(
      keys.map(({ id, metadata }) => ({ id, metadata })),
      [{ id: key.id, metadata: { tenant: '1' } }]
    )
    const changed = await call('PATCH', `/api/keys/${key.id}`, {
      ...server,
      body: { label: 'renamed', monthly_budget_usd: 500 }
    })
    assert.equal((changed.body as { key: Key }).key.label, 'renamed')
    const rotated = told(await call('POST', `/api/keys/${key.id}/rotate`, server), 200)
    assert.equal(rotated.id, key.id)
    const { digest, previous } = await recordOf(user.id, key.id)
    assert.deepEqual({ digest, previous }, { digest: digestSecret(rotated.value), previous: null })
    assert.deepEqual((await call('DELETE', `/api/keys/${key.id}`, server)).body, { ok: true })
    assert.equal((await recordOf(user.id, key.id)).status, 'revoked')

    const log = await call('GET', '/api/audit', user)
    const { entries } = log.body as AuditResponse
    const byServer = entries.filter(({ detail }) => 'by_key' in detail)
    assert.deepEqual(
      byServer.map(({ action, actor_id }) => [action, actor_id]),
      [
        ['key.revoked', null],
        ['key.rotated', null],
        ['key.updated', null],
        ['key.created', null]
      ]
    )
    for (const entry of byServer) {
      assert.deepEqual([entry.actor_key_label, entry.subject, entry.subject_exists], [management.label, key.id, true])
    }
    assert.deepEqual(byServer[2]!.detail, {
      by_key: management.id,
      changed: 'label, monthly_budget_usd',
      label_before: 'tenant 1',
      label: 'renamed',
      monthly_budget_usd_before: null,
      monthly_budget_usd: 500
    })
  })

  await t.test('a management key works only for keys, and never for management keys', async () => {
    const { user, management, server } = await partner()
    assert.equal(scopeOfSecret(management.value), 'management')
    for (const path of ['/api/auth/me', '/api/account', '/api/team', '/api/audit']) {
      assert.deepEqual(refusal(await call('GET', path, server)), [401, 'not_authenticated'], path)
    }
    assert.equal((await call('GET', '/api/usage', server)).status, 200)
    assert.equal((await call('GET', '/api/usage/summary', server)).status, 200)
    assert.deepEqual(refusal(await create(server, { label: 'x', scope: 'management' })), [403, 'forbidden'])
    assert.deepEqual((await page(server)).keys, [])
    for (const [method, path, body] of [
      ['PATCH', '', { label: 'x' }],
      ['POST', '/rotate', {}],
      ['DELETE', '', undefined]
    ] as const) {
      const answer = await call(method, `/api/keys/${management.id}${path}`, {
        ...server,
        ...(body === undefined ? {} : { body })
      })
      assert.deepEqual(refusal(answer), [404, 'not_found'], method)
    }
    assert.deepEqual(
      (await page(user)).keys.map(({ scope, prefix }) => ({ scope, prefix })),
      [{ scope: 'management', prefix: management.value.slice(4, 12) }]
    )
  })

  await t.test('of two changes of a budget from the same state, the second is told of the first', async () => {
    const { server } = await partner()
    const key = told(await create(server, { label: 'tenant 1', monthly_budget_usd: 5 }))
    const change = (body: object) => call('PATCH', `/api/keys/${key.id}`, { ...server, body })
    assert.equal((await change({ monthly_budget_usd: 6, if_monthly_budget_usd: 5 })).status, 200)
    assert.deepEqual(refusal(await change({ label: 'x', monthly_budget_usd: 7, if_monthly_budget_usd: 5 })), [
      ...[409, 'budget_changed']
    ])
    assert.partialDeepStrictEqual((await page(server)).keys, [{ label: 'tenant 1', monthly_budget_usd: 6 }])
    assert.equal((await change({ monthly_budget_usd: 6, if_monthly_budget_usd: 5 })).status, 200, 'a repeated call')
    assert.equal((await change({ monthly_budget_usd: 7 })).status, 200, 'without it, the last change counts')
  })

  await t.test('a paused key is refused until it is resumed, and keeps everything else', async () => {
    const { user, management, server } = await partner()
    const key = told(await create(server, { label: 'tenant 1', monthly_budget_usd: 5 }))
    const before = (await page(server)).keys
    const change = (id: string, body: object, by: By = server) => call('PATCH', `/api/keys/${id}`, { ...by, body })
    const paused = await change(key.id, { paused: true })
    assert.equal((paused.body as { key: Key }).key.paused, true)
    assert.equal((await recordOf(user.id, key.id)).status, 'paused')
    assert.deepEqual((await page(server)).keys, [{ ...before[0]!, paused: true }])
    told(await call('POST', `/api/keys/${key.id}/rotate`, server), 200)
    assert.equal((await recordOf(user.id, key.id)).status, 'paused', 'a rotation does not resume it')
    assert.equal((await change(key.id, { paused: false })).status, 200)
    assert.equal((await recordOf(user.id, key.id)).status, 'active')
    const { entries } = (await call('GET', '/api/audit', user)).body as AuditResponse
    assert.partialDeepStrictEqual(entries[0], { action: 'key.updated', detail: { paused_before: true, paused: false } })

    const idle = told(await create(server, { label: 'tenant 2', paused: true }))
    assert.equal((await recordOf(user.id, idle.id)).status, 'paused')
    assert.equal((await call('DELETE', `/api/keys/${idle.id}`, server)).status, 200)
    assert.equal((await recordOf(user.id, idle.id)).status, 'revoked')
    assert.deepEqual(refusal(await change(idle.id, { paused: false })), [404, 'not_found'])

    assert.equal((await change(management.id, { paused: true }, user)).status, 200)
    assert.deepEqual(refusal(await call('GET', '/api/keys', server)), [403, 'paused_api_key'])
    assert.equal((await change(management.id, { paused: false }, user)).status, 200)
    assert.equal((await call('GET', '/api/keys', server)).status, 200)
  })

  await t.test('an account has at most five management keys, and they do not count towards its quota', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(user, { label: 'server', scope: 'management' }))
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 5)
    assert.deepEqual(
      new Set(answers.filter(({ status }) => status !== 201).map(codeOf)),
      new Set(['key_quota_exceeded'])
    )
    told(await create(user, { label: 'tenant' }))
    const { limits } = (await call('GET', '/api/limits', user)).body as { limits: { keys: { in_use: number } } }
    assert.equal(limits.keys.in_use, 1)
  })

  await t.test(
    'once the plan does not sell it any more, a server creates no keys, and keeps those that exist',
    async () => {
      const { user, server } = await partner()
      const { id } = told(await create(server, { label: 'tenant' }))
      await control.database.orm.update(accounts).set({ plan: 'team' }).where(eq(accounts.id, user.id))
      assert.deepEqual(refusal(await create(server, { label: 'another' })), [403, 'partner_api_not_allowed'])
      assert.deepEqual(refusal(await create(user, { label: 'x', scope: 'management' })), [
        403,
        'partner_api_not_allowed'
      ])
      assert.equal((await call('GET', `/api/keys/${id}`, server)).status, 200)
      assert.equal((await call('POST', `/api/keys/${id}/rotate`, { ...server, body: {} })).status, 200)
      assert.equal((await call('DELETE', `/api/keys/${id}`, server)).status, 200)
      told(await create(user, { label: 'by hand' }))
    }
  )

  await t.test(
    'a wrong, revoked, rotated, expired or suspended management key is refused with its own error',
    async () => {
      const { user, management, server } = await partner()
      const inference = told(await create(user, { label: 'x' }))
      const list = async (secret: string) => refusal(await call('GET', '/api/keys', bearer(secret)))
      assert.deepEqual(await list(inference.value), [401, 'invalid_api_key'])
      assert.deepEqual(await list(`${management.value.slice(0, -1)}_`), [401, 'invalid_api_key'])
      assert.deepEqual(refusal(await call('GET', '/api/keys', { headers: { authorization: 'Basic x' } })), [
        401,
        'invalid_api_key'
      ])
      // Only the header counts: a page cannot combine it with the cookie.
      const both = { cookie: user.cookie, headers: { authorization: `Bearer ${inference.value}` } }
      assert.deepEqual(refusal(await call('GET', '/api/keys', both)), [401, 'invalid_api_key'])

      const rotate = { ...user, body: { grace_seconds: 60 } }
      const next = told(await call('POST', `/api/keys/${management.id}/rotate`, rotate), 200)
      assert.equal(scopeOfSecret(next.value), 'management')
      for (const skewMs of [hourMs, -hourMs]) {
        control.passTime(skewMs)
        assert.equal((await call('GET', '/api/keys', server)).status, 200, 'in its grace, by PostgreSQL’s clock')
        control.passTime(-skewMs)
      }
      await endNow(management.id, 'previousUntil')
      assert.deepEqual(await list(management.value), [401, 'revoked_api_key'])
      assert.equal((await call('GET', '/api/keys', bearer(next.value))).status, 200)

      const soon = new Date(control.now().getTime() + 60_000).toISOString()
      const brief = told(await create(user, { label: 'brief', scope: 'management', expires_at: soon }))
      assert.equal((await call('GET', '/api/keys', bearer(brief.value))).status, 200)
      await endNow(brief.id, 'expiresAt')
      assert.deepEqual(await list(brief.value), [401, 'expired_api_key'])
      await call('DELETE', `/api/keys/${management.id}`, user)
      assert.deepEqual(await list(next.value), [401, 'revoked_api_key'])
    }
  )

  await t.test('rotation: the old secret is refused at once, or works until its grace ends', async () => {
    const { user } = await partner()
    const first = told(await create(user, { label: 'x' }))
    const second = told(await call('POST', `/api/keys/${first.id}/rotate`, user), 200)
    assert.equal((await recordOf(user.id, first.id)).previous, null)
    const pointer = await findPointer(control.redis, digestSecret(first.value))
    assert.equal((pointer as { key: string }).key, first.id, 'the old secret still points to its key')
    const { keys } = await page(user)
    assert.equal(keys.find(({ id }) => id === first.id)!.prefix, second.value.slice(3, 11))
    const grace = { ...user, body: { grace_seconds: 3600 } }
    const before = control.now().getTime()
    const third = told(await call('POST', `/api/keys/${first.id}/rotate`, grace), 200)
    const { digest, previous } = await recordOf(user.id, first.id)
    assert.equal(digest, digestSecret(third.value))
    assert.equal(previous!.digest, digestSecret(second.value))
    const ms = previous!.until - before
    assert.ok(ms >= 3_600_000 && ms < 3_660_000, `${ms} ms`)
    for (const skewMs of [hourMs, -hourMs]) {
      control.passTime(skewMs)
      const minute = { ...user, body: { grace_seconds: 60 } }
      const earliest = Math.floor(await readRedisTime(control.redis)) + 60_000
      told(await call('POST', `/api/keys/${first.id}/rotate`, minute), 200)
      const { until } = (await recordOf(user.id, first.id)).previous!
      const latest = (await readRedisTime(control.redis)) + 60_000
      control.passTime(-skewMs)
      assert.ok(until >= earliest && until <= latest, 'by Redis’s clock, not control’s')
    }
    for (const wrong of [-1, 86_401, 1.5, '1']) {
      const answer = await call('POST', `/api/keys/${first.id}/rotate`, { ...user, body: { grace_seconds: wrong } })
      assert.deepEqual(refusal(answer), [400, 'invalid_request'])
    }
    await call('DELETE', `/api/keys/${first.id}`, user)
    assert.deepEqual(refusal(await call('POST', `/api/keys/${first.id}/rotate`, user)), [404, 'not_found'])
    for (const body of [{ label: 'x' }, {}]) {
      const answer = await call('PATCH', `/api/keys/${first.id}`, { ...user, body })
      assert.deepEqual(refusal(answer), [404, 'not_found'])
    }
  })

  await t.test(
    'a server adds to the lifetime budget of a tenant’s key: calls at once all count, and repeats once',
    async () => {
      const { user, server } = await partner()
      const key = told(await create(user, { label: 'tenant', budgets: [{ window: 'lifetime', limit_usd: 1 }] }))
      const add = (add_usd: number, idempotency: string | null, id = key.id) =>
        call('POST', `/api/keys/${id}/top-up`, {
          headers: { ...server.headers, ...(idempotency !== null && { 'idempotency-key': idempotency }) },
          body: { add_usd }
        })
      const answers = await Promise.all([add(0.1, 'a'), add(0.02, 'b'), add(0.003, 'c'), add(0.1, 'a'), add(0.1, 'a')])
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      const limit = async () => (await recordOf(user.id, key.id)).budgets?.map(({ nanos }) => nanos)
      assert.deepEqual(await limit(), [1_123_000_000])
      assert.deepEqual(refusal(await add(0.2, 'a')), [409, 'idempotency_key_reused'], 'another amount was not added')
      const other = told(await create(user, { label: 'without' }))
      for (const wrong of [add(1, null), add(1, 'd', other.id), add(1e6, 'e'), add(0, 'f')]) {
        assert.deepEqual(refusal(await wrong), [400, 'invalid_request'])
      }
      assert.deepEqual(await limit(), [1_123_000_000])
    }
  )

  await t.test(
    'the old secret of a rotated key can be ended early, and the listing says until when it works',
    async () => {
      const { user, server, management } = await partner()
      const key = told(await create(user, { label: 'x' }))
      const until = async () => (await page(user)).keys.find(({ id }) => id === key.id)!.old_secret_until
      const end = (id: string, by: By = server) => call('POST', `/api/keys/${id}/end-grace`, by)
      assert.equal(await until(), null)
      const rotated = told(
        await call('POST', `/api/keys/${key.id}/rotate`, { ...user, body: { grace_seconds: 3600 } }),
        200
      )
      const { previous } = await recordOf(user.id, key.id)
      assert.equal(previous?.digest, digestSecret(key.value))
      assert.equal(Date.parse((await until())!), previous.until)

      const stranger = await control.signUp()
      assert.deepEqual(refusal(await end(key.id, stranger)), [404, 'not_found'])
      assert.notEqual((await recordOf(user.id, key.id)).previous, null)
      for (let repeated = 0; repeated < 2; repeated++) {
        const answer = await end(key.id)
        assert.deepEqual([answer.status, answer.body], [200, { ok: true }])
      }
      const after = await recordOf(user.id, key.id)
      assert.deepEqual([after.digest, after.previous], [digestSecret(rotated.value), null])
      assert.equal(await until(), null)
      const log = (await call('GET', '/api/audit', user)).body as {
        entries: Array<{ action: string; subject: string }>
      }
      assert.equal(log.entries.filter(({ action }) => action === 'key.grace_ended').length, 1)

      const renewed = told(
        await call('POST', `/api/keys/${management.id}/rotate`, { ...user, body: { grace_seconds: 60 } }),
        200
      )
      await page(server)
      assert.equal((await end(management.id, user)).status, 200)
      assert.deepEqual(refusal(await call('GET', '/api/keys', server)), [401, 'revoked_api_key'])
      await page(bearer(renewed.value))
      await call('DELETE', `/api/keys/${key.id}`, user)
      assert.deepEqual(refusal(await end(key.id, user)), [404, 'not_found'])
    }
  )

  await t.test('after concurrent rotations, exactly one secret works', async () => {
    const { user } = await partner()
    const key = told(await create(user, { label: 'x' }))
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', `/api/keys/${key.id}/rotate`, user)))
    const { keys } = await page(user)
    const { prefix } = keys.find(({ id }) => id === key.id)!
    const current = answers.map((answer) => told(answer, 200).value).filter((value) => value.slice(3, 11) === prefix)
    assert.equal(current.length, 1)
    const { orm } = control.database
    const behind = await orm.execute(
      `select 1 from former_secrets s where not exists
        (select 1 from shards where name = s.secret_shard and shards.version >= s.version)`
    )
    assert.equal([...(Array.isArray(behind) ? behind : (behind as { rows: unknown[] }).rows)].length, 0)
  })

  await t.test('terms are stored as requested, and listed as stored', async () => {
    const { user } = await partner()
    const expires = new Date(control.now().getTime() + 3_600_000).toISOString()
    const terms = {
      label: 'x',
      expires_at: expires,
      models: ['gpt-5-nano'],
      monthly_budget_usd: 12.345678901,
      thresholds: [25, 75],
      requests_per_minute: 7,
      tokens_per_minute: 40_000,
      concurrent_requests: 3,
      metadata: { tenant: 'é', 'order.no': '' }
    }
    const { id } = told(await create(user, terms))
    const readKey = async () => (await page(user)).keys.find((key) => key.id === id)!
    const stored: Record<string, unknown> = await readKey()
    assert.deepEqual(Object.fromEntries(Object.keys(terms).map((name) => [name, stored[name]])), terms)
    const change = (body: object) => call('PATCH', `/api/keys/${id}`, { ...user, body })
    assert.equal((await change({ models: null, expires_at: null, metadata: {} })).status, 200)
    const after = await readKey()
    assert.deepEqual([after.models, after.expires_at, after.metadata, after.requests_per_minute], [null, null, {}, 7])
    for (const wrong of [
      { scope: 'management' },
      { label: '' },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: 'tomorrow' },
      { models: [] },
      { models: ['no such model'] },
      { models: ['gpt-5-nano', 'gpt-5-nano'] },
      { monthly_budget_usd: -1 },
      { monthly_budget_usd: '1' },
      { thresholds: [0] },
      { thresholds: [50, 50] },
      { thresholds: [50.5] },
      { requests_per_minute: 0 },
      { tokens_per_minute: 0 },
      { concurrent_requests: 1.5 },
      { metadata: { 'a b': 'x' } },
      { metadata: { a: 1 } },
      { metadata: { a: 'x'.repeat(501) } },
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`m${n}`, 'x'])) }
    ]) {
      assert.deepEqual(refusal(await change(wrong)), [400, 'invalid_request'], JSON.stringify(wrong))
    }
  })

  await t.test('an expired key makes room for another, and can only become active again within the quota', async () => {
    const user = await control.signUp({ plan: 'free' })
    const soon = new Date(control.now().getTime() + 60_000).toISOString()
    const first = told(await create(user, { label: 'first', expires_at: soon }))
    control.passTime(61_000)
    told(await create(user, { label: 'second' }))
    const revive = () => call('PATCH', `/api/keys/${first.id}`, { ...user, body: { expires_at: null } })
    assert.deepEqual(refusal(await revive()), [403, 'key_quota_exceeded'])
    assert.equal((await call('PATCH', `/api/keys/${first.id}`, { ...user, body: { label: 'x' } })).status, 200)
  })

  await t.test('a list has pages with each key once, even while keys are added', async () => {
    const { server } = await partner()
    const made: string[] = []
    for (let number = 0; number < 7; number++) {
      made.unshift(told(await create(server, { label: `tenant ${number}`, metadata: { n: String(number % 2) } })).id)
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { keys, next_cursor }: Awaited<ReturnType<typeof page>> = await page(
        server,
        `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`
      )
      seen.push(...keys.map(({ id }) => id))
      if (cursor === null) told(await create(server, { label: 'meanwhile' }))
      cursor = next_cursor
    } while (cursor !== null)
    assert.deepEqual(seen, made)
    assert.deepEqual(
      (await page(server, '?metadata.n=1')).keys.map(({ label }) => label),
      ['tenant 5', 'tenant 3', 'tenant 1']
    )
    assert.deepEqual((await page(server, '?metadata.n=1&metadata.m=1')).keys, [])
    for (const wrong of [
      '?limit=0',
      '?limit=1001',
      '?cursor=x',
      '?metadata=x',
      '?metadata.=x',
      '?other=x',
      '?limit=1&limit=2'
    ]) {
      assert.deepEqual(refusal(await call('GET', `/api/keys${wrong}`, server)), [400, 'invalid_request'], wrong)
    }
  })

  await t.test('revoked keys can be listed for thirty days', async () => {
    const { user } = await partner()
    const { id } = told(await create(user, { label: 'x' }))
    await call('DELETE', `/api/keys/${id}`, user)
    const has = async (query: string) => (await page(user, query)).keys.some((key) => key.id === id)
    assert.deepEqual(
      [await has(''), await has('?include_revoked=false'), await has('?include_revoked=true')],
      [false, false, true]
    )
  })

  await t.test('concurrent requests with the same Idempotency-Key create one key', async () => {
    const { user, server } = await partner()
    const send = (by: By, header: string) => {
      const headers = { ...('headers' in by ? by.headers : {}), 'idempotency-key': header }
      return call('POST', '/api/keys', { ...by, headers, body: { label: 'x' } })
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(server, 'order-1')))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    const { id } = told(made[0]!)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(refusal(answer), [409, 'already_created'])
      assert.deepEqual((answer.body as { key: object }).key, { id })
    }
    assert.notEqual(told(await send(server, 'order-2')).id, id)
    const other = await partner()
    assert.equal((await send(other.server, 'order-1')).status, 201, 'another account can use the same value')
    assert.deepEqual(refusal(await send(user, 'with space')), [400, 'invalid_request'])
    control.passTime(86_400_001)
    assert.equal((await send(server, 'order-1')).status, 201)
  })

  await t.test('no caller can see another account’s key', async () => {
    const mine = await partner()
    const { id } = told(await create(mine.user, { label: 'x' }))
    const { user, server } = await partner()
    for (const by of [{ cookie: user.cookie }, server]) {
      for (const answer of [
        await call('PATCH', `/api/keys/${id}`, { ...by, body: { label: 'x' } }),
        await call('POST', `/api/keys/${id}/rotate`, by),
        await call('DELETE', `/api/keys/${id}`, by)
      ]) {
        assert.deepEqual(refusal(answer), [404, 'not_found'])
      }
    }
  })
})
