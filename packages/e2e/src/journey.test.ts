import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { UsageResponse } from '@tollgate/contracts/http/usage.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import OpenAI from 'openai'
import t from 'tap'
import { Person, payByCard } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

let system: TestSystem
t.before(async () => {
  system = await sharedSystem()
})

t.test('a user registers, chats with the official SDK, pays for a plan and revokes the key', async () => {
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
    body: { error: { code: 'key_quota_exceeded', type: 'permission_error' } }
  })
  assert.partialDeepStrictEqual(await ada.call('POST', '/api/keys', { label: 'our server', scope: 'management' }), {
    status: 403,
    body: { error: { code: 'partner_api_not_allowed', type: 'permission_error' } }
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
  while (!(await isListedAsUsed())) await delay(20)

  // Two answers per gateway and the one before. Refusals do not count.
  const served = 2 * system.addresses.gateways.length + 1
  const reported = async () => {
    const { body } = await ada.call<UsageResponse>('GET', '/api/usage?interval=month')
    return body.buckets.reduce((sum, { requests }) => sum + requests, 0)
  }
  while ((await reported()) < served) await delay(20)
  assert.equal(await reported(), served, 'usage shows each request once')
  const summary = await ada.call<{ spent_usd: string; reserved_usd: string }>('GET', '/api/usage/summary')
  assert.match(summary.body.spent_usd, /[1-9]/)
  assert.equal(summary.body.reserved_usd, '0.00')

  assert.equal(
    (await payByCard(ada, 'price_pro_monthly')).location,
    `${system.addresses.control}/dashboard/billing?success=1`
  )
  for (const gateway of system.addresses.gateways) {
    await untilOutcome(() => chatOutcome(openaiClient(gateway, value), 'gpt-4o'), '200')
  }
  assert.partialDeepStrictEqual(await ada.call('GET', '/api/billing/plan'), {
    body: { plan: { id: 'pro', price_id: 'price_pro_monthly', past_due: false } }
  })

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
  const second = await ada.createKey('second')
  assert.equal(second.status, 201)
  await assertUnchanged(second.body.key.value)

  assert.partialDeepStrictEqual(await ada.call('POST', '/api/auth/signout'), { status: 200, body: { ok: true } })
  assert.equal((await ada.me()).status, 401)
})

/** Asserts that numbers beyond 2^53 and free objects reach the upstream as they were sent. */
async function assertUnchanged(secret: string): Promise<void> {
  const body =
    '{"model" : "gpt-4o-mini","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"x-unknown":[1e400,0.10]}}},"max_completion_tokens":1,"seed":9007199254740993,"logit_bias":{"1":18446744073709551616} }'
  const send = () =>
    fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body
    })
  let response = await send()
  // The free plan's requests of the last seconds still count towards the rate.
  while (response.status === 429) {
    await response.body?.cancel()
    await delay(Number(response.headers.get('retry-after')) * 1000)
    response = await send()
  }
  assert.equal(response.status, 200, await response.text())
  const requests = await fetch(`${system.addresses.models}/sandbox/requests`)
  const { requests: seen } = (await requests.json()) as { requests: Array<{ id: string; requestId: string }> }
  const recorded = seen.at(-1)!
  const arrived = await fetch(`${system.addresses.models}/sandbox/requests/${recorded.id}/body`)
  assert.equal(await arrived.text(), body)
}
