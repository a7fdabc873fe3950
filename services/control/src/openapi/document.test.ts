import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  asSchema,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  operationsOf
} from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { test } from 'tap'
import { readApiDocument } from '../api-document.ts'
import { alternativesOf, descriptionOf, resolve } from '../site/docs/schema-view.ts'
import { expectStatus } from '../testing/call-control.ts'
import { validator } from '../testing/check-against-document.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

/**
 * A success of these needs a mail, a provider, a second factor, a gateway or another operator. The tests of their
 * resources have it, and every control in a test compares its answers with the document.
 */
const needMore = [
  'DELETE /api/auth/second-factor',
  'DELETE /api/auth/sessions/{id}',
  'DELETE /api/team/seats/{id}',
  'GET /api/admin/requests/{id}',
  'GET /api/auth/providers/{provider}',
  'GET /api/billing/portal',
  'GET /api/requests/{id}',
  'GET /api/team/invitations/{token}',
  'POST /api/admin/events/seen',
  'POST /api/admin/pending-acts/{id}/confirm',
  'POST /api/admin/pending-acts/{id}/reject',
  'POST /api/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  'POST /api/auth/login/code',
  'POST /api/auth/reset-password',
  'POST /api/auth/second-factor/confirm',
  'POST /api/auth/second-factor/recovery-codes',
  'POST /api/auth/webhook',
  'POST /api/billing/checkout',
  'POST /api/billing/webhook',
  'POST /api/events/seen',
  'POST /api/keys/{id}/top-up',
  'POST /api/team/invitations/{token}/accept',
  'POST /api/team/seats',
  'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver'
]

test('the document of the API', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const answer = await control.call('GET', '/api/openapi.json')
  assert.equal(answer.status, 200)
  const document = answer.body as OpenApiDocument
  const described = new Set(operationsOf(document).map(({ method, path }) => `${method} ${path}`))

  await t.test('it has exactly the routes of the service', async () => {
    assert.ok(described.size > 15)
    assert.deepEqual([...control.document.routes].sort(), [...described].sort())
  })

  await t.test('it is the same without a running service, for the types of the dashboard', async () => {
    const own: unknown = JSON.parse(JSON.stringify({ ...(await readApiDocument()), servers: document.servers }))
    assert.deepEqual(own, document)
  })

  await t.test('only operators see what providers bill, what is earned, and which upstream served', async () => {
    const secret = /provider_cost|margin|upstream|billed/
    const leaking = operationsOf(await readApiDocument()).filter(
      ({ operation }) =>
        operation.tags[0] !== 'Operators' &&
        [...JSON.stringify(operation).matchAll(/"(\w+)":/g)].some(([, member]) => secret.test(member!))
    )
    assert.deepEqual(
      leaking.map(({ path }) => path),
      []
    )
  })

  await t.test('each operation gives an answer that matches it, and all but these a success', async () => {
    await askEveryOperation(control, document)
    assert.deepEqual(control.document.violations, [])
    const seen = [...control.document.seen].map((one) => one.split(' '))
    const answered = new Set(seen.map(([method, path]) => `${method} ${path}`))
    const succeeded = new Set(
      seen.filter(([, , status]) => Number(status) < 400).map(([method, path]) => `${method} ${path}`)
    )
    assert.deepEqual(answered, described)
    const refused = [...described].filter((one) => !succeeded.has(one))
    assert.deepEqual(refused.sort(), needMore)
  })

  for (const [name, one] of [
    ['control', document],
    ['the gateway', inferenceDocument]
  ] as const) {
    await t.test(`${name}: every parameter and member says what it means`, async () => {
      assert.deepEqual(undescribed(one), [])
    })

    await t.test(`${name}: is valid OpenAPI 3.1 without missing references`, async () => {
      assert.match(one.openapi, /^3\.1\.\d$/)
      const tags = new Set(one.tags.map((tag) => tag.name))
      const ids = new Set<string>()
      const validate = validator(one)
      for (const { method, path, operation } of operationsOf(one)) {
        const where = `${method} ${path}`
        assert.ok(operation.summary.length > 0, where)
        assert.match(operation.operationId, /^[a-z][A-Za-z]+$/, where)
        assert.ok(!ids.has(operation.operationId), where)
        ids.add(operation.operationId)
        assert.ok(operation.tags.length === 1 && tags.has(operation.tags[0]!), where)
        for (const scheme of operation.security.flatMap(Object.keys)) {
          assert.ok(scheme in one.components.securitySchemes, `${where}: ${scheme}`)
        }
        const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
        assert.deepEqual(
          inPath.map((parameter) => parameter.name),
          [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
          where
        )
        const bodies = [
          { pointer: ['requestBody'], content: operation.requestBody?.content },
          ...Object.entries(operation.responses).map(([status, { content }]) => ({
            pointer: ['responses', status],
            content
          }))
        ]
        for (const { pointer, content } of bodies) {
          for (const type of Object.keys(content ?? {})) {
            const place = ['paths', path, method.toLowerCase(), ...pointer, 'content', type, 'schema']
            assert.doesNotThrow(() => validate(place, null), where)
          }
        }
        assert.ok(
          Object.keys(operation.responses).some((status) => /^[23]\d\d$/.test(status)),
          where
        )
        assert.ok(
          Object.keys(operation.responses).every((status) => /^[2345]\d\d$/.test(status)),
          where
        )
      }
    })
  }
})

/** Parameters and members, at any depth, of what customers call, that say nothing of themselves. */
function undescribed(document: OpenApiDocument): string[] {
  const named = document.components.schemas
  const found: string[] = []
  const visit = (schema: JsonSchema, path: string, within: readonly JsonSchema[]): void => {
    const own = resolve(schema, named)
    if (within.includes(own)) return
    const inner = [...within, own]
    for (const one of alternativesOf(own)) visit(one, path, inner)
    if (own.items !== undefined) visit(asSchema(own.items), path, inner)
    for (const [name, member] of Object.entries(asSchema(own.properties))) {
      if (descriptionOf(asSchema(member), named) === undefined) found.push(`${path}.${name}`)
      visit(asSchema(member), `${path}.${name}`, inner)
    }
  }
  for (const { operation } of operationsOf(document).filter((one) => !one.operation.tags.includes('Operators'))) {
    const { operationId, parameters = [], requestBody, responses } = operation
    for (const { name, description = '' } of parameters) if (description === '') found.push(`${operationId}: ${name}`)
    const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
    const contents = [requestBody?.content, ...successes.map(([, { content }]) => content)]
    for (const { schema = {} } of contents.flatMap((content) => Object.values(content ?? {}))) {
      visit(schema, operationId, [])
    }
  }
  return found
}

const reason = 'A test'
const url = 'https://hooks.example.com/'
/** By operation. The others need no body, or are refused here without one. */
const bodies: Readonly<Record<string, unknown>> = {
  register: { email: 'new@example.com', password: 'correct horse battery', name: 'Ada' },
  changeUser: { name: 'Countess' },
  changeBudgets: { budgets: [] },
  forgotPassword: { email: 'nobody@example.com' },
  resendConfirmation: { email: 'nobody@example.com' },
  changeKey: { label: 'renamed' },
  changeAccount: { monthly_budget_usd: 1 },
  changeWebhook: { description: 'renamed' },
  changeNotifications: { thresholds: null },
  adjustUsage: { id: randomUUID(), amount_usd: 1, month: new Date().toISOString().slice(0, 7), reason },
  overrideAccount: { reason, limits: null },
  deleteAccountByOperator: { reason },
  signOutByOperator: { reason },
  suspendAccountByOperator: { reason },
  resumeAccountByOperator: { reason },
  approveAccountByOperator: { reason },
  applyCatalog: { version: 1, reason },
  diffCatalog: { version: 1 },
  createAnnouncement: { level: 'info', title: 'One' },
  changeAnnouncement: { title: 'Two' },
  rebuildProjection: { reason },
  changeOperatorWebhook: { description: 'renamed' }
}
/** These end what the others need. */
const last = [
  'changePassword',
  'revokeKey',
  'deleteWebhook',
  'deleteOperatorWebhook',
  'deleteAnnouncement',
  'deleteAccountByOperator',
  'deleteUser',
  'signout'
]

/** Asks a control for every operation of its document, the fatal ones last, so that each answer is compared with it. */
async function askEveryOperation(control: RunningControl, document: OpenApiDocument): Promise<void> {
  const { call } = control
  const [user, operator, other] = [
    await control.signUp(),
    await control.signUpOperator('operator'),
    await control.signUp()
  ]
  /** @returns the id of what was created */
  const create = async ({ cookie }: TestUser, path: string, body: object): Promise<string> => {
    const created = await expectStatus(call('POST', path, { cookie, body }), 201)
    return (Object.values(created.body as object)[0] as { id: string }).id
  }
  const key = await create(user, '/api/keys', { label: 'one' })
  const ids: ReadonlyArray<readonly [prefix: string, id: string]> = [
    ['/api/keys/', key],
    ['/api/webhooks/', await create(user, '/api/webhooks', { url })],
    ['/api/admin/webhooks/', await create(operator, '/api/admin/webhooks', { url })],
    ['/api/admin/announcements/', await create(operator, '/api/admin/announcements', { level: 'info', title: 'One' })],
    ['/api/admin/accounts/', other.id]
  ]
  const requestBodies: Readonly<Record<string, unknown>> = {
    ...bodies,
    login: { email: user.email, password: user.password },
    reauthenticate: { password: user.password },
    startSecondFactor: { password: user.password },
    changePassword: { current_password: user.password, password: 'another correct battery' },
    createKey: { label: 'two' },
    createWebhook: { url },
    createOperatorWebhook: { url },
    findReportedKey: { id: key },
    revokeReportedKey: { id: key, reason }
  }
  const rank = ({ operationId }: Operation) => last.indexOf(operationId)
  const operations = operationsOf(document).sort((a, b) => rank(a.operation) - rank(b.operation))
  for (const { method, path, operation } of operations) {
    const { operationId, security } = operation
    const isByOperator = operation.tags.includes('Operators')
    const id = ids.find(([prefix]) => path.startsWith(prefix))?.[1] ?? randomUUID()
    const target = path.replace('{id}', id).replaceAll(/\{\w+\}/g, () => randomUUID())
    const caller = isByOperator ? operator : user
    const cookie = security.length === 0 ? undefined : caller.cookie
    const { cookies } = await call(method as 'GET', target + queryOf(operation, other), {
      ...(cookie !== undefined && { cookie }),
      ...(operation.requestBody !== undefined && { body: requestBodies[operationId] ?? {} })
    })
    // A new password ends the session, and begins another one.
    const renewed = cookies.find((one) => cookie !== undefined && one.startsWith('svc_session='))
    if (renewed !== undefined) caller.cookie = renewed.split(';')[0]!
  }
}

/** The parameters that an operation needs. */
function queryOf({ parameters = [] }: Operation, { id }: TestUser): string {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required === true)
  const values: Readonly<Record<string, string>> = { account: id, from: '2026-11', to: '2026-12' }
  const pairs = needed.map(({ name }) => [name, values[name] ?? 'x'])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
