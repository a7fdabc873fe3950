import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { type FakeUpstream, startFakeUpstream } from '@tollgate/gateway/testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import { workspaceUrl } from '@tollgate/service/workspace.ts'
import OpenAI from 'openai'
import t from 'tap'
import { type Case, cases, fine } from './cases.ts'

const document = readFileSync(workspaceUrl('docs/retries.md'), 'utf8').replace(/ +/g, ' ')
const maxCalls = 4

// Each case has its own upstreams, since cases run in parallel and must not affect each other.
const names = cases.map(({ route }, row) => route.map((_, at) => `row${row}-${at}`))
const providers: FakeUpstream[] = []
let gateway: TestGateway
let apiKey: string
t.before(async () => {
  const file: string[] = []
  for (const [row, { route }] of cases.entries()) {
    for (const [at, behaviour] of route.entries()) {
      const provider = await startFakeUpstream()
      provider.answer(({ response }) => (typeof behaviour === 'string' ? fine : behaviour)(response))
      // A port without a listener.
      if (behaviour === 'refused') await provider.close()
      else providers.push(provider)
      file.push(`${names[row]![at]}: { base_url: '${provider.url}/v1', timeouts_ms: { first_byte: 1000 } }`)
    }
  }
  const routes = names.map((upstreams, row) => [
    `model${row}`,
    upstreams.map((upstream, priority) => ({ upstream, priority }))
  ])
  gateway = await startGateway('', {
    upstreamsFile: `upstreams: { ${file.join(', ')} }`,
    catalog: catalogOf(Object.fromEntries(routes))
  })
  apiKey = (await gateway.seedKey()).secret
})
t.teardown(async () => {
  await gateway.close()
  await Promise.all(providers.map((provider) => provider.close()))
})

t.test('with the SDK’s default retries, every case of the published table is true', async () => {
  await Promise.all(
    cases.map(async (expected, row) => {
      const { name, outcome, tries, calls } = expected
      const happened = await ask(expected, row)
      assert.deepEqual(happened, { outcome, tries, calls }, name)
      assert.ok(happened.calls <= maxCalls, `${name}: ${happened.calls} calls of providers`)
      assert.ok(document.includes(lineOf(expected)), `docs/retries.md has: ${lineOf(expected)}`)
    })
  )
  assert.equal(document.match(/^\|[^|]*\|[^|]*\| \d \| \d \|/gm)?.length, cases.length, 'and no other rows')
})

t.test('the table of the gateway’s own errors says for each whether to retry', async () => {
  const rows = [...document.matchAll(/^\| ((?:[45]\d\d[^|]*)) \| (yes|no)[^|]*\|$/gm)]
  for (const code of ownErrors) {
    const status = errorTable[code][0]
    const matches = rows.filter(([, errors]) => errors!.includes(`\`${code}\``) || statusesIn(errors!).includes(status))
    assert.deepEqual(
      matches.map(([, , retry]) => retry === 'yes'),
      [isRetryable(code, null)],
      `${status} ${code}`
    )
  }
})

/** Errors that the gateway itself answers. */
const ownErrors: ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'unpriced_parameter',
  'exceeds_rate_limit',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'request_budget_exceeded',
  'monthly_budget_exceeded',
  'free_budget_elsewhere',
  'free_spend_exhausted',
  'key_budget_exceeded',
  'account_suspended',
  'model_not_allowed',
  'unknown_endpoint',
  'method_not_allowed',
  'request_timeout',
  'request_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_requests',
  'concurrent_request_bytes',
  'internal_error',
  'state_unavailable',
  'draining',
  'gateway_busy'
]

/** The statuses in a row without codes. */
const statusesIn = (errors: string) => (/^(429|503)/.test(errors) ? [] : errors.match(/\d+/g)!.map(Number))

async function ask({ route, stream = false, hasNoRetries }: Case, row: number) {
  let calls = 0
  for (const [at, name] of names[row]!.entries()) {
    const { pool, retries, breaker } = gateway.upstreams.get(name)!
    const dispatch = pool.dispatch.bind(pool)
    pool.dispatch = (call, handler) => {
      calls++
      dispatch(call, handler)
    }
    if (hasNoRetries) while (retries.take());
    if (route[at] === 'breaker open') {
      // A breaker stays open only briefly, so it opens when the gateway asks: the request may take long to arrive.
      const waitMs = breaker.waitMs.bind(breaker)
      breaker.waitMs = (now) => {
        breaker.waitMs = waitMs
        for (let n = 0; n < 5; n++) breaker.failed(false, now)
        return waitMs(now)
      }
    }
  }
  let tries = 0
  const countingFetch: typeof fetch = (...request) => {
    tries++
    return fetch(...request)
  }
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, fetch: countingFetch })
  const outcome = await outcomeOf(client, `model${row}`, stream)
  return { outcome, tries, calls }
}

async function outcomeOf(client: OpenAI, model: string, stream: boolean): Promise<string> {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  try {
    const answer = await client.chat.completions.create({ model, messages, stream })
    if (Symbol.asyncIterator in answer) for await (const _chunk of answer);
    return '200'
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) return 'connection closed'
    return error.status === undefined ? `${error.code} in the stream` : `${error.status} ${error.code}`
  }
}

function lineOf({ name, outcome, tries, calls, time }: Case): string {
  return `| ${name} | ${outcome.replace(/\b[a-z]+(_[a-z]+)+\b/, '`$&`')} | ${tries} | ${calls} | ${time} |`
}
