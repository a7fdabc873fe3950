import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { UsageResponse } from '@tollgate/contracts/http/usage.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import OpenAI from 'openai'
import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'

let system: TestSystem
t.before(async () => {
  system = await startTestSystem(t, { gateways: 2 })
})

t.test('a user registers, chats with the official SDK and revokes the key', async () => {
  const ada = new Person(system, 'ada')

  assert.partialDeepStrictEqual(await ada.register(), { status: 200, body: { ok: true } })
  assert.equal(ada.cookie, null, 'registration sets no session')
  assert.partialDeepStrictEqual(await ada.login(), { status: 403, body: { error: { code: 'email_not_confirmed' } } })
  assert.partialDeepStrictEqual(await ada.confirm({ password: 'another' }), {
    status: 409,
    body: { error: { code: 'password_mismatch' } }
  })
  assert.partialDeepStrictEqual(await ada.me(), { status: 401, body: { error: { code: 'not_authenticated' } } })
  assert.partialDeepStrictEqual(await ada.confirm(), { status: 200, body: { user: { email: ada.email } } })
  assert.partialDeepStrictEqual(await ada.me(), { status: 200 })
  const login = await ada.login()
  assert.partialDeepStrictEqual(login, { status: 200, body: { user: { email: ada.email, name: 'Ada', plan: 'free' } } })
  assert.deepEqual((await ada.me()).body, login.body)

  const created = await ada.createKey('first')
  assert.equal(created.status, 201)
  const { id, value } = created.body.key
  assert.partialDeepStrictEqual(await ada.createKey('second'), {
    status: 403,
    body: { error: { code: 'key_quota_exceeded' } }
  })
  assert.partialDeepStrictEqual(await ada.listKeys(), {
    body: { keys: [{ id, label: 'first', prefix: value.slice(3, 11), status: 'active', last_used: null }] }
  })
  assert.ok(!JSON.stringify((await ada.listKeys()).body).includes(value), 'the secret is never shown again')

  for (const gateway of system.addresses.gateways) {
    const openai = openaiClient(gateway, value)
    const question = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Say 20 words.' }] }
    const answer = await openai.chat.completions.create(question)
    assert.partialDeepStrictEqual(answer, { object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] })
    assert.equal(typeof answer.choices[0]!.message.content, 'string')
    let streamed = ''
    for await (const chunk of await openai.chat.completions.create({ ...question, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? ''
    }
    assert.equal(streamed, answer.choices[0]!.message.content, 'the stream has the same text')
    const models = []
    for await (const model of await openai.models.list()) models.push(model.id)
    const { free } = loadCatalogFile(workspaceFile('deploy/catalog.yaml')).plans
    assert.deepEqual(models.toSorted(), free!.models.toSorted())
    assert.partialDeepStrictEqual(await openai.models.retrieve('gpt-4o-mini'), {
      id: 'gpt-4o-mini',
      object: 'model',
      owned_by: 'openai'
    })
    assert.equal(await chatOutcome(openai, 'gpt-4o'), '403 model_not_allowed', 'a model of another plan')
    assert.equal(await chatOutcome(openai, 'no-such-model'), '403 model_not_allowed', 'a model that does not exist')
  }

  const usedAt = Date.now()
  assert.equal(await chatOutcome(openaiClient(system.addresses.gateways[1]!, value), 'gpt-4o-mini'), '200')
  const isListedAsUsed = async () => Date.parse((await ada.listKeys()).body.keys[0]!.last_used ?? '') >= usedAt
  while (!(await isListedAsUsed()) && Date.now() < usedAt + 5000) await delay(20)
  assert.ok(await isListedAsUsed(), 'a used key is listed as used within five seconds')

  // Two answers per gateway and the one before. Refusals do not count.
  const served = 2 * system.addresses.gateways.length + 1
  const reported = async () => {
    const { body } = await ada.call<UsageResponse>('GET', '/api/usage?interval=month')
    return body.buckets.reduce((sum, { requests }) => sum + requests, 0)
  }
  while ((await reported()) < served && Date.now() < usedAt + 5000) await delay(20)
  assert.equal(await reported(), served, 'usage shows the requests within five seconds')
  const summary = await ada.call<{ spent_usd: string; reserved_usd: string }>('GET', '/api/usage/summary')
  assert.match(summary.body.spent_usd, /[1-9]/)
  assert.equal(summary.body.reserved_usd, '0.00')

  assert.partialDeepStrictEqual(await ada.revokeKey(id), { status: 200, body: { ok: true } })
  for (const gateway of system.addresses.gateways) {
    const refusal = await openaiClient(gateway, value)
      .models.list()
      .then(
        () => null,
        (error: unknown) => error
      )
    assert.ok(refusal instanceof OpenAI.AuthenticationError, 'the SDK throws its own class')
    assert.deepEqual([refusal.status, refusal.code, refusal.type], [401, 'revoked_api_key', 'authentication_error'])
  }
  assert.deepEqual((await ada.listKeys()).body, { keys: [], next_cursor: null })
  assert.equal((await ada.createKey('second')).status, 201, 'a revoked key does not count towards the quota')

  assert.partialDeepStrictEqual(await ada.call('POST', '/api/auth/signout'), { status: 200, body: { ok: true } })
  assert.equal((await ada.me()).status, 401)
})

t.test('numbers beyond 2^53 and free objects reach the upstream unchanged', async () => {
  const ada = await new Person(system, 'ada').join()
  const { value } = (await ada.createKey('raw')).body.key
  const body =
    '{"model" : "gpt-4o-mini","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"x-unknown":[1e400,0.10]}}},"max_completion_tokens":1,"seed":9007199254740993,"logit_bias":{"1":18446744073709551616} }'
  const response = await fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body
  })
  assert.equal(response.status, 200, await response.text())
  const requests = await fetch(`${system.addresses.models}/sandbox/requests`)
  const { requests: seen } = (await requests.json()) as { requests: Array<{ id: string; requestId: string }> }
  const recorded = seen.at(-1)!
  const arrived = await fetch(`${system.addresses.models}/sandbox/requests/${recorded.id}/body`)
  assert.equal(await arrived.text(), body)
})

t.test('joining a team suspends a member’s own keys from the next request on; leaving restores them', async () => {
  const owner = await new Person(system, 'owner').join('team')
  const ada = await new Person(system, 'ada').join()
  const clientsOf = (secret: string) => system.addresses.gateways.map((gateway) => openaiClient(gateway, secret))
  const outcomes = async (clients: ReturnType<typeof clientsOf>, model?: string) => [
    ...new Set(await Promise.all(clients.map((client) => chatOutcome(client, model))))
  ]
  const own = clientsOf((await ada.createKey('own')).body.key.value)
  assert.deepEqual(await outcomes(own), ['200'])

  interface Invited {
    invitation: { link: string }
  }
  const { body, status } = await owner.call<Invited>('POST', '/api/team/seats', { email: ada.email })
  assert.equal(status, 201)
  const { pathname } = new URL(body.invitation.link)
  const invitationPage = await ada.call<string>('GET', pathname)
  assert.equal(invitationPage.status, 200)
  assert.match(invitationPage.body, /<div id="root">/)
  assert.partialDeepStrictEqual(await ada.call('POST', `/api/team${pathname}/accept`), {
    status: 200,
    body: { ok: true }
  })
  assert.deepEqual(await outcomes(own), ['403 account_suspended'])
  await assert.rejects(own[0]!.models.list(), { status: 403, message: /paused while its owner is in a team/ })
  assert.partialDeepStrictEqual(await ada.me(), { body: { user: { plan: 'team' } } })

  const shared = clientsOf((await ada.createKey('for the team')).body.key.value)
  assert.deepEqual(await outcomes(shared, 'gpt-4o'), ['200'], 'uses the plan of the team')

  const { id } = (await ada.me()).body.user
  assert.partialDeepStrictEqual(await owner.call('DELETE', `/api/team/seats/${id}`), {
    status: 200,
    body: { ok: true }
  })
  assert.deepEqual(await outcomes(own), ['200'])
  assert.deepEqual(await outcomes(own, 'gpt-4o'), ['403 model_not_allowed'], 'use their own plan again')
  assert.deepEqual(await outcomes(shared, 'gpt-4o'), ['200'], 'the key stays with the team')
  assert.partialDeepStrictEqual(await ada.me(), { body: { user: { plan: 'free' } } })
})
