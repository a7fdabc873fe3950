import assert from 'node:assert/strict'
import type { ListDeliveriesResponse, WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { eq } from 'drizzle-orm'
import type { Static } from 'typebox'
import { auditLog } from '../database/schema/audit.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { oldRows } from '../retention/old-rows.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf, expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { startReceiver, verify } from './testing/start-receiver.ts'

type Created = { endpoint: WebhookEndpoint; secret: string }

onDatabase('webhook endpoints', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const { call, database } = control
  const { orm } = database
  const ada = await control.signUp({ plan: 'pro' })
  const { cookie } = ada
  const create = async (body: object, path = '/api/webhooks', as: object = { cookie }) =>
    (await expectStatus(call('POST', path, { ...as, body }), 201)).body as Created
  const log = async (id: string, path = '/api/webhooks', as: object = { cookie }) =>
    (await expectStatus(call('GET', `${path}/${id}/deliveries`, as), 200)).body as Static<typeof ListDeliveriesResponse>

  await t.test('the owner creates one, and its secret is shown once and stored encrypted', async () => {
    const { endpoint, secret } = await create({ url: receiver.url, event_types: ['key.created'] })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(endpoint, {
      id: endpoint.id,
      url: receiver.url,
      description: '',
      event_types: ['key.created'],
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      old_secret_until: null,
      created: endpoint.created
    })
    const [row] = await orm.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpoint.id))
    assert.ok(!JSON.stringify(row).includes(secret.slice(6)))
    const listed = await call('GET', '/api/webhooks', { cookie })
    assert.deepEqual(listed.body, { endpoints: [endpoint] })
    const exported = await call('GET', '/api/account/export', { cookie })
    assert.deepEqual((exported.body as { webhooks: unknown }).webhooks, [endpoint])
    await expectStatus(call('DELETE', `/api/webhooks/${endpoint.id}`, { cookie }), 200)
    assert.equal((await call('GET', `/api/webhooks/${endpoint.id}`, { cookie })).status, 404)
    const rows = await orm.select().from(auditLog).where(eq(auditLog.subject, endpoint.id))
    assert.deepEqual(
      rows.map(({ action, detail }) => [action, detail]),
      ['webhook.created', 'webhook.deleted'].map((action) => [action, { host: new URL(receiver.url).host }])
    )
  })

  await t.test('a key that is created reaches the receiver, signed, and the log shows it', async () => {
    const { endpoint, secret } = await create({ url: receiver.url, event_types: ['key.created'] })
    const answer = await expectStatus(call('POST', '/api/keys', { cookie, body: { label: 'tenant' } }), 201)
    const { id } = (answer.body as { key: { id: string } }).key
    await control.webhookWorker.sendDue()
    const message = receiver.received.at(-1)!
    const payload = verify(secret, message)
    assert.equal(payload.type, 'key.created')
    assert.deepEqual(payload.data, { key: { id, label: 'tenant', scope: 'inference', metadata: {} } })
    const [delivery] = (await log(endpoint.id)).deliveries
    assert.deepEqual([delivery!.message_id, delivery!.status, delivery!.next_try], [message.id, 'delivered', null])
    assert.deepEqual(delivery!.message, payload)
    assert.deepEqual(
      delivery!.attempts.map(({ status, error }) => [status, error]),
      [[204, null]]
    )
    await expectStatus(
      call('POST', `/api/webhooks/${endpoint.id}/deliveries/${delivery!.id}/redeliver`, { cookie }),
      202
    )
    await control.webhookWorker.sendDue()
    assert.equal(receiver.received.at(-1)!.id, message.id)
    assert.equal((await log(endpoint.id)).deliveries[0]!.attempts.length, 2)
  })

  await t.test('a test shows a wrong receiver at once; off gets no events, but tests; on gets them again', async () => {
    const { endpoint } = await create({ url: `${receiver.url}/other`, event_types: ['key.revoked'] })
    const path = `/api/webhooks/${endpoint.id}`
    const tested = await expectStatus(call('POST', `${path}/test`, { cookie }), 202)
    assert.equal((tested.body as { delivery: { status: string } }).delivery.status, 'pending')
    receiver.answer((response) => response.writeHead(404).end())
    await control.webhookWorker.sendDue()
    receiver.answer((response) => response.writeHead(204).end())
    const [failed] = (await log(endpoint.id)).deliveries
    assert.deepEqual(
      [failed!.type, failed!.status, failed!.attempts[0]!.error],
      ['webhook.test', 'failed', 'The receiver answered 404 instead of 2xx.']
    )
    const patch = async (body: object) =>
      ((await expectStatus(call('PATCH', path, { cookie, body }), 200)).body as Created).endpoint
    const off = await patch({ enabled: false })
    assert.deepEqual([off.enabled, off.disabled_reason, off.failing_since !== null], [false, 'turned_off', true])
    const on = await patch({ enabled: true, description: 'of the shop', event_types: null })
    assert.deepEqual([on.enabled, on.failing_since, on.description, on.event_types], [true, null, 'of the shop', null])
  })

  await t.test('a rotated secret is shown once, and both sign during the overlap', async () => {
    const { endpoint, secret: old } = await create({ url: receiver.url, event_types: ['plan.changed'] })
    const path = `/api/webhooks/${endpoint.id}`
    const rotated = (await expectStatus(call('POST', `${path}/rotate`, { cookie }), 200)).body as Created
    assert.ok(rotated.endpoint.old_secret_until !== null && rotated.secret !== old)
    await expectStatus(call('POST', `${path}/test`, { cookie }), 202)
    await control.webhookWorker.sendDue()
    for (const secret of [old, rotated.secret]) verify(secret, receiver.received.at(-1)!)
    const body = { overlap_seconds: 0 }
    const last = (await expectStatus(call('POST', `${path}/rotate`, { cookie, body }), 200)).body as Created
    assert.equal(last.endpoint.old_secret_until, null)
  })

  await t.test('addresses that are private, plain or strange are refused with the reason', async () => {
    for (const url of ['https://10.0.0.1/', 'http://[::1]:3000/', 'https://user:secret@example.com/', 'text']) {
      const answer = await call('POST', '/api/webhooks', { cookie, body: { url } })
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'], url)
      assert.match((answer.body as { error: { message: string } }).error.message, /^url: must /)
    }
    const body = { url: receiver.url, event_types: ['key.eaten'] }
    assert.equal((await call('POST', '/api/webhooks', { cookie, body })).status, 400)
  })

  await t.test('others see nothing of it; a management key has the owner’s rights, and a seat has none', async () => {
    const { endpoint } = await create({ url: receiver.url, event_types: ['plan.changed'] })
    const owner = await control.signUp({ plan: 'enterprise' })
    const seat = await control.signUp()
    await teamOf(control).joined(owner, seat)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate'],
      ['GET', '/deliveries']
    ] as const) {
      const answer = await call(method, `/api/webhooks/${endpoint.id}${path}`, owner)
      assert.equal(answer.status, 404, `${method} ${path}`)
    }
    assert.equal(codeOf(await call('GET', '/api/webhooks', seat)), 'forbidden')
    const made = await call('POST', '/api/keys', { ...owner, body: { label: 'server', scope: 'management' } })
    const { value } = (made.body as { key: { value: string } }).key
    const headers = { authorization: `Bearer ${value}` }
    const own = await create({ url: receiver.url }, '/api/webhooks', { headers })
    assert.deepEqual((await call('GET', '/api/webhooks', owner)).body, { endpoints: [own.endpoint] })
  })

  await t.test('operators have their own endpoints and events, and each change is in their log', async () => {
    const operator = await control.signUpOperator()
    const path = '/api/admin/webhooks'
    assert.equal((await call('GET', path, { cookie })).status, 404)
    const { endpoint, secret } = await create({ url: receiver.url }, path, operator)
    await expectStatus(call('POST', `${path}/${endpoint.id}/test`, operator), 202)
    await control.webhookWorker.sendDue()
    assert.deepEqual(verify(secret, receiver.received.at(-1)!).data, { endpoint_id: endpoint.id })
    assert.equal((await log(endpoint.id, path, operator)).deliveries.length, 1)
    const acts = (await call('GET', '/api/admin/audit', operator)).body as { entries: { action: string }[] }
    assert.equal(acts.entries[0]!.action, 'webhook.created')
    const types = (await call('GET', `${path}/event-types`, operator)).body as { event_types: { type: string }[] }
    assert.ok(types.event_types.some(({ type }) => type === 'request.failed_over'))
    await expectStatus(call('DELETE', `${path}/${endpoint.id}`, operator), 200)
  })

  await t.test('the document has each message with the schema of its data', async () => {
    const document = (await call('GET', '/api/openapi.json')).body as { webhooks: Record<string, { post: object }> }
    const types = (await call('GET', '/api/webhooks/event-types', { cookie })).body as {
      event_types: { type: string }[]
    }
    for (const { type } of types.event_types) assert.ok(document.webhooks[type]?.post, type)
    assert.match(JSON.stringify(document.webhooks['key.created']), /webhook-signature.*"metadata"/)
  })

  await t.test('the log is read in pages and by status, and deleted after its time', async () => {
    const { endpoint } = await create({ url: receiver.url, event_types: ['plan.changed'] })
    for (let count = 0; count < 5; count++) {
      await expectStatus(call('POST', `/api/webhooks/${endpoint.id}/test`, { cookie }), 202)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const path = `/api/webhooks/${endpoint.id}/deliveries?status=pending&limit=2${query}`
      const page = (await expectStatus(call('GET', path, { cookie }), 200)).body as Static<
        typeof ListDeliveriesResponse
      >
      seen.push(...page.deliveries.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.equal(new Set(seen).size, 5)
    assert.equal(seen.length, 5)
    assert.equal(await oldRows.deliveries.prune(orm, new Date(0)), 0)
    assert.ok((await oldRows.deliveries.prune(orm, new Date(Date.now() + 60_000))) >= 5)
    assert.equal(await orm.$count(webhookDeliveries), 0)
  })

  await t.test('an account has a maximum of endpoints; a deleted one has none', async () => {
    const eve = await control.signUp()
    const asEve = { cookie: eve.cookie }
    const answers = await Promise.all(
      Array.from({ length: 22 }, () => call('POST', '/api/webhooks', { ...asEve, body: { url: receiver.url } }))
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 20)
    assert.equal(codeOf(answers.find(({ status }) => status !== 201)!), 'webhook_limit_reached')
    await expectStatus(call('DELETE', '/api/auth/me', asEve), 200)
    assert.equal(await orm.$count(webhookEndpoints, eq(webhookEndpoints.accountId, eve.id)), 0)
  })
})

onDatabase('without SECRETS_KEY', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), secretKeys: [] })
  t.after(() => control.close())
  const { cookie } = await control.signUp()
  const answer = await control.call('POST', '/api/webhooks', { cookie, body: { url: 'https://example.com' } })
  assert.deepEqual([answer.status, codeOf(answer)], [409, 'webhooks_not_set_up'])
})
