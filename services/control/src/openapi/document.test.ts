import assert from 'node:assert/strict'
import { type OpenApiDocument, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { test } from 'tap'
import { readApiDocument } from '../api-document.ts'
import { validator } from '../testing/check-against-document.ts'
import { startControl } from '../testing/start-control.ts'
import { askEveryOperation } from './testing/ask-every-operation.ts'

/**
 * A success of these needs a mail, a provider, a second factor, a gateway or another operator. The tests of their resources have it, and
 * every control in a test compares its answers with the document.
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
