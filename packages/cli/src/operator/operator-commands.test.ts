import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  AdminAccountResponse,
  AdminAccountsResponse,
  ChangeAccountByOperatorRequest,
  ReasonRequest,
  SignedOutResponse
} from '@tollgate/contracts/http/admin/accounts.ts'
import { AdjustmentRequest, AdjustmentResponse } from '@tollgate/contracts/http/admin/adjustments.ts'
import {
  AdminCatalogResponse,
  ApplyCatalogRequest,
  ApplyCatalogResponse,
  CatalogDiffRequest,
  CatalogDiffResponse
} from '@tollgate/contracts/http/admin/catalog.ts'
import {
  FindReportedKeyRequest,
  FoundKeyResponse,
  RevokedKeyResponse,
  RevokeReportedKeyRequest
} from '@tollgate/contracts/http/admin/keys.ts'
import { PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { type Test, test } from 'tap'
import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { createFakeTerminal } from '../testing/fake-io.ts'
import { writeSession } from './login.ts'

const id = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const at = '2026-11-23T06:00:00.000Z'
/** An account whose changes wait for a second operator. */
const guarded = 'b1d0f7a4-3d38-4a0e-8f55-0c7c1a0b9e42'
const listing = {
  id,
  email: 'ada@example.com',
  name: 'Ada',
  plan: 'pro',
  status: 'active',
  suspended_for: [],
  team: null,
  past_due: false,
  people: 1,
  keys: 2,
  spent_usd: '1.50',
  created_at: at
}
const ofPlan = { value: 5, from: 'plan', plan_value: 5, operator_value: null, ends_at: null }
const account = {
  ...listing,
  own_plan: 'pro',
  plan_override: null,
  reserved_usd: '0.00',
  users: [],
  key_list: [],
  subscription: null,
  invoices: [],
  adjustments: [],
  audit: [],
  limits: {
    monthly_budget_usd: ofPlan,
    request_budget_usd: ofPlan,
    requests_per_minute: ofPlan,
    tokens_per_minute: ofPlan,
    concurrent_requests: ofPlan,
    key_quota: ofPlan,
    price_group: { ...ofPlan, value: null, plan_value: null }
  }
}
const reported = {
  id: 'key_1',
  label: 'a\u001b[31mkey',
  prefix: 'abc',
  scope: 'inference',
  status: 'active',
  created_at: at,
  last_used_at: null,
  expires_at: null,
  account_id: id,
  owner_email: 'ada@example.com',
  owner_name: 'Ada'
}
const pending = {
  id,
  action: 'account.adjusted',
  account_id: guarded,
  account_email: null,
  detail: {},
  reason: 'sorry',
  asked_by: id,
  asked_by_email: 'o@example.com',
  asked_at: at,
  ends_at: '2026-11-30T06:00:00.000Z'
}
const published = {
  version: 3,
  sha256: 'ab',
  published_at: at,
  published_by: 'operator',
  operator_email: 'o@example.com',
  reason: 'cheaper',
  models: 1,
  plans: 2,
  is_kept: true
}
const change = {
  path: 'models.small.prices.input',
  kind: 'changed',
  from: '1',
  to: '2',
  meaning: 'Dearer.',
  accounts: 4
}

/** A catalog whose only price is below that of its provider. */
const catalogText = `models:
  small:
    kind: embedding
    owned_by: openai
    created: 0
    route: [{ upstream: openai, model: text-embedding-3-small }]
    usd_per_million_tokens: { input: 0.01, output: 0 }
    context_window: 8191
    max_output_tokens: 0
plans:
  free:
    name: Free
    entitlements: []
    key_quota: 1
    seats: 1
    models: all
    limits: { requests_per_minute: 1, tokens_per_minute: 1, concurrent_requests: 1 }
    caps_usd: { request: 1, month: 1 }`

/** `METHOD path`: the schemas of body and answer, and the answer. */
const endpoints: Record<string, [body: TSchema, schema: TSchema, answer: unknown]> = {
  'GET /accounts': [Type.Null(), AdminAccountsResponse, { accounts: [listing], has_more: false, next_cursor: null }],
  [`GET /accounts/${id}`]: [Type.Null(), AdminAccountResponse, { account }],
  [`PATCH /accounts/${id}`]: [ChangeAccountByOperatorRequest, AdminAccountResponse, { account }],
  [`DELETE /accounts/${id}`]: [ReasonRequest, OkResponse, { ok: true }],
  [`POST /accounts/${id}/suspend`]: [ReasonRequest, AdminAccountResponse, { account }],
  [`POST /accounts/${id}/resume`]: [ReasonRequest, AdminAccountResponse, { account }],
  [`POST /accounts/${id}/approve`]: [ReasonRequest, AdminAccountResponse, { account }],
  [`POST /accounts/${id}/signout`]: [ReasonRequest, SignedOutResponse, { ok: true, sessions: 2 }],
  [`POST /accounts/${id}/adjustments`]: [
    AdjustmentRequest,
    AdjustmentResponse,
    { adjustment: { id, at, month: '2026-11', amount_usd: '-5.00', reason: 'sorry' } }
  ],
  [`POST /accounts/${guarded}/adjustments`]: [AdjustmentRequest, PendingActResponse, { pending }],
  [`PATCH /accounts/${guarded}`]: [ChangeAccountByOperatorRequest, PendingActResponse, { pending }],
  'POST /keys/find': [FindReportedKeyRequest, FoundKeyResponse, { key: reported }],
  'POST /keys/revoke': [
    RevokeReportedKeyRequest,
    RevokedKeyResponse,
    { key: { id: 'key_1', label: 'a\u001b[31mkey', prefix: 'abc', account_id: id }, mailed: true }
  ],
  'GET /catalog': [
    Type.Null(),
    AdminCatalogResponse,
    { catalog: published, yaml: catalogText, missing_upstreams: ['azure'], history: [published] }
  ],
  'POST /catalog/diff': [
    CatalogDiffRequest,
    CatalogDiffResponse,
    { problems: [], warnings: ['Careful.'], changes: [change] }
  ],
  'POST /catalog': [ApplyCatalogRequest, ApplyCatalogResponse, { catalog: published }]
}

interface Asked {
  method: string
  path: string
  query: Record<string, string>
  body: Record<string, unknown> | null
  cookie: string | undefined
}

/** Control as its schemas describe it. */
async function startFakeControl(t: Test) {
  const calls: Asked[] = []
  const failures: Record<string, [status: number, code: string]> = {}
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://control')
    const path = pathname.replace('/api/admin', '')
    const body = await readBody(request)
    calls.push({
      method: request.method!,
      path,
      query: Object.fromEntries(searchParams),
      body,
      cookie: request.headers.cookie
    })
    const place = `${request.method} ${path}`
    const failure = failures[place]
    const [bodySchema, schema, answer] = endpoints[place] ?? [Type.Unknown(), Type.Unknown(), null]
    assert.ok(Value.Check(bodySchema, body), `${place}: ${JSON.stringify(body)}`)
    assert.ok(Value.Check(schema, answer), `${place}: the fake answer`)
    response.statusCode = failure?.[0] ?? (answer === null ? 404 : 200)
    const code = failure?.[1] ?? 'not_found'
    response.end(
      JSON.stringify(response.statusCode === 200 ? answer : { error: { message: 'It failed.', type: 'x', code } })
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const terminal = createFakeTerminal()
  writeSession({ XDG_CONFIG_HOME: terminal.configHome }, { url, email: 'o@example.com', cookie: 'svc_session=token' })
  return { calls, failures, terminal, last: () => calls.at(-1)! }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  let text = ''
  for await (const part of request) text += part
  return text === '' ? null : JSON.parse(text)
}

test('accounts', async (t) => {
  const { terminal, last, calls, failures } = await startFakeControl(t)

  await t.test('they are listed by what was asked for', async () => {
    const ran = await terminal.run('account list --q ada --past-due --sort created')
    assert.deepEqual(last().query, { q: 'ada', past_due: 'true', sort: 'created' })
    assert.equal(last().cookie, 'svc_session=token')
    assert.match(ran.out, /ada@example.com +pro +active +1 +2 +\$1.50 +2026-11-23/)
    assert.deepEqual((await terminal.run('account list --json')).json().has_more, false)
  })

  await t.test('an account is found by its owner’s address', async () => {
    const ran = await terminal.run('account show ADA@example.com')
    assert.equal(last().path, `/accounts/${id}`)
    assert.match(ran.out, /monthly budget usd +5 +plan/)
    const missing = await terminal.run('account show eve@example.com')
    assert.deepEqual([missing.code, missing.out], [1, ''])
  })

  await t.test('suspend, resume, approve and signout send the reason', async () => {
    for (const act of ['suspend', 'resume', 'approve', 'signout']) {
      const ran = await terminal.run(`account ${act} ${id} --reason mass~mailing`)
      assert.equal(ran.code, 0, ran.err)
      assert.deepEqual([last().path, last().body], [`/accounts/${id}/${act}`, { reason: 'mass mailing' }])
    }
  })

  await t.test('limits and plans are set until a time, or removed', async () => {
    await terminal.run(`account limit ${id} --reason trial --monthly-budget 12.5 --key-quota 0 --until 2026-12-31`)
    const limits = { monthly_budget_usd: 12.5, key_quota: 0, ends_at: '2026-12-31T00:00:00.000Z' }
    assert.deepEqual(last().body, { reason: 'trial', limits })
    await terminal.run(`account limit ${id} --reason over --clear`)
    assert.deepEqual(last().body, { reason: 'over', limits: null })
    await terminal.run(`account plan ${id} enterprise --reason deal`)
    assert.deepEqual(last().body, { reason: 'deal', plan: { id: 'enterprise', ends_at: null } })
    await terminal.run(`account plan ${id} --clear --reason over`)
    assert.deepEqual(last().body, { reason: 'over', plan: null })
  })

  await t.test('a credit is a negative amount', async () => {
    const ran = await terminal.run(`account adjust ${id} --credit 5 --month 2026-11 --reason sorry --id ${id}`)
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(last().body, { id, amount_usd: -5, month: '2026-11', reason: 'sorry' })
  })

  await t.test('what waits for a second operator is not called done', async () => {
    for (const command of [`adjust ${guarded} --credit 900`, `limit ${guarded} --monthly-budget 900`]) {
      const ran = await terminal.run(`account ${command} --reason sorry`)
      assert.equal(ran.code, 0, ran.err)
      assert.match(ran.out, /^Waits for a second operator\. Nothing was changed yet\.\n.*2026-11-30/)
    }
  })

  await t.test('an account is deleted only after a confirmation', async () => {
    const before = calls.length
    const refused = await terminal.run(`account delete ${id} --reason asked~for`)
    assert.deepEqual([refused.code, calls.length], [2, before])
    assert.match(refused.err, /Add --yes/)
    const declined = await terminal.run(`account delete ${id} --reason asked~for`, {
      isTerminal: true,
      answers: ['no']
    })
    assert.deepEqual([declined.code, calls.length], [2, before])
    const done = await terminal.run(`account delete ${id} --reason asked~for --yes`)
    assert.deepEqual([done.code, done.questions], [0, []])
    assert.deepEqual(last().body, { reason: 'asked for' })
  })

  await t.test('a change that is not in force everywhere exits with 5, an ended session with 3', async () => {
    failures[`POST /accounts/${id}/suspend`] = [503, 'change_pending']
    assert.equal((await terminal.run(`account suspend ${id} --reason x`)).code, 5)
    failures[`POST /accounts/${id}/suspend`] = [401, 'sign_in_again']
    const ran = await terminal.run(`account suspend ${id} --reason x`)
    assert.equal(ran.code, 3)
    assert.match(ran.err, /Run: tollgate login/)
  })
})

test('leaked keys', async (t) => {
  const { terminal, last, calls } = await startFakeControl(t)

  await t.test('a key is revoked by its value, which is no argument', async () => {
    const value = generateSecret('inference')
    const before = calls.length
    const refused = await terminal.run(`key revoke ${value} --reason leak --yes`)
    assert.deepEqual([refused.code, calls.length], [2, before])
    assert.ok(!refused.err.includes(value))
    const ran = await terminal.run('key revoke - --reason leak --yes', { answers: [value] })
    assert.deepEqual([ran.code, last().body], [0, { value, reason: 'leak' }])
    assert.ok(!ran.out.includes(value))
  })

  await t.test('a key is revoked by its id or its hash', async () => {
    await terminal.run('key revoke key1 --reason leak --yes')
    assert.deepEqual(last().body, { id: 'key1', reason: 'leak' })
    const hash = 'AB'.repeat(32)
    const ran = await terminal.run(`key revoke --hash ${hash} --reason leak`, { isTerminal: true, answers: ['yes'] })
    assert.deepEqual(last().body, { hash: hash.toLowerCase(), reason: 'leak' })
    assert.match(ran.questions.join(), /of ada@example\.com .*: active, never used/, 'it says whose key it is')
    assert.ok(!ran.questions.join().includes('\u001b'))
  })

  await t.test('a label cannot control the terminal', async () => {
    const ran = await terminal.run('key revoke key1 --reason leak --yes')
    assert.deepEqual(last().body, { id: 'key1', reason: 'leak' })
    assert.ok(!ran.out.includes('\u001b'))
  })
})

test('the catalog', async (t) => {
  const { terminal, last, calls, failures } = await startFakeControl(t)

  await t.test('it is shown, with its history and its text', async () => {
    assert.match((await terminal.run('catalog show')).out, /No running gateway has these upstreams: azure/)
    assert.equal((await terminal.run('catalog show --yaml')).out, `${catalogText}\n`)
    assert.match((await terminal.run('catalog history')).out, /3 +2026-11-23.* cheaper/)
  })

  await t.test('the check reads the catalog in force, and changes nothing', async () => {
    const before = calls.length
    const ran = await terminal.run('catalog check')
    assert.equal(ran.code, 1, ran.err)
    assert.match(ran.out, /^small +input .* openai\/text-embedding-3-small +BELOW$/m)
    assert.deepEqual(
      calls.slice(before).map(({ method, path }) => `${method} ${path}`),
      ['GET /catalog']
    )
  })

  await t.test('a diff says what changes for whom', async () => {
    const ran = await terminal.run('catalog diff --version 2')
    assert.deepEqual(last().body, { version: 2 })
    assert.match(ran.out, /Careful\.\n\nCHANGE.*\nmodels.small.prices.input +1 +2 +4 +Dearer\./)
  })

  await t.test('it is applied after the diff and a confirmation', async () => {
    const before = calls.length
    assert.equal((await terminal.run('catalog apply --version 2 --reason back')).code, 2)
    assert.equal(calls.length, before)
    const ran = await terminal.run('catalog apply --version 2 --reason back', {
      isTerminal: true,
      answers: ['yes']
    })
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.err, /Dearer/)
    assert.deepEqual(last().body, { version: 2, reason: 'back' })
    failures['POST /catalog'] = [400, 'catalog_refused']
    const refused = await terminal.run('catalog apply --version 2 --reason back --yes --json')
    assert.deepEqual([refused.code, refused.json()], [1, { error: { message: 'It failed.', code: 'catalog_refused' } }])
  })
})

test('an act asks for password and code when control wants a confirmation, and is repeated', async (t) => {
  const calls: unknown[] = []
  let isConfirmed = false
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    calls.push([request.url, body])
    const isConfirming = request.url === '/api/auth/reauthenticate'
    if (isConfirming && body?.code !== undefined) isConfirmed = true
    response.statusCode = isConfirmed ? 200 : 403
    const code = isConfirming ? 'second_factor_required' : 'confirmation_required'
    const answer = isConfirming ? { ok: true } : { epoch: 7 }
    response.end(JSON.stringify(isConfirmed ? answer : { error: { message: 'No.', type: 'permission_error', code } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const terminal = createFakeTerminal()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeSession({ XDG_CONFIG_HOME: terminal.configHome }, { url, email: 'o@example.com', cookie: 'svc_session=token' })
  const ran = await terminal.run('projection rebuild --reason test --yes --no-wait --json', {
    answers: ['my password', '123 456']
  })
  assert.deepEqual(ran.json(), { epoch: 7 })
  const [rebuild, confirmation] = ['/api/admin/projection/rebuild', '/api/auth/reauthenticate']
  assert.deepEqual(calls, [
    [rebuild, { reason: 'test' }],
    [confirmation, { password: 'my password' }],
    [confirmation, { password: 'my password', code: '123456' }],
    [rebuild, { reason: 'test' }]
  ])
})

test('signing in asks for the code of a second factor', async (t) => {
  const bodies: unknown[] = []
  const user = { id, email: 'o@example.com', name: 'O', plan: 'free', role: 'operator' }
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    bodies.push(body)
    const isComplete = body?.code !== undefined
    response.writeHead(isComplete ? 200 : 401, { 'set-cookie': 'svc_session=token; HttpOnly; Path=/' })
    const error = { message: 'A code is needed.', type: 'authentication_error', code: 'second_factor_required' }
    response.end(JSON.stringify(isComplete ? { user } : { error }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const terminal = createFakeTerminal()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ran = await terminal.run(`login --url ${url}`, { answers: ['o@example.com', 'my password', '123 456'] })
  assert.equal(ran.code, 0, ran.err)
  const credentials = { email: 'o@example.com', password: 'my password' }
  assert.deepEqual(bodies, [credentials, { ...credentials, code: '123456' }])
  assert.ok(![ran.out, ran.err].join().includes('token'))
})
