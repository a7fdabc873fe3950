import { asSchema, exampleModel, type JsonSchema } from '@tollgate/contracts/openapi/document.ts'
import { alternativesOf, type NamedSchemas, resolve } from './schema-view.ts'

/** Ids that examples of requests, answers and addresses share. */
export const exampleIds = {
  key: 'key_4pTqWm8ZxR2vLc7NsB1dKf9H',
  request: 'req_0f0cc173-1666-46a1-a6f5-d5e873e9f4e4',
  response: 'resp_68b2f1c04d7c8190a1e5f3b7d9c20468',
  uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7'
} as const

/** Values that say more than their type: by name, or by the name of their parent and their own. */
const valuesByName: Readonly<Record<string, unknown>> = {
  month: '2026-11',
  ...{
    model: exampleModel,
    content: 'Hello!',
    label: 'My app',
    email: 'ada@example.com',
    password: 'correct horse battery'
  },
  ...{ 'models.id': exampleModel, provider: 'openai', owned_by: 'openai', endpoint: '/v1/chat/completions' },
  ...{ name: 'Ada', invited_by: 'Ada', creator: 'Ada', 'plan.name': 'Pro', 'plans.name': 'Pro', 'keys.name': 'My app' },
  ...{
    plan: 'pro',
    'plan.id': 'pro',
    'plans.id': 'pro',
    price_id: 'price_pro_monthly',
    'prices.id': 'price_pro_monthly'
  },
  ...{ 'key.id': exampleIds.key, 'keys.id': exampleIds.key, key_id: exampleIds.key, prefix: '4pTqWm8Z' },
  ...{ 'key.value': 'tg_4pTqWm8ZxR2vLc7NsB1dKf9HgJ6yE3aU5oXi0MtVhCwQbn', 'token.value': 'tg_play_4pTqWm8ZxR2vLc7N' },
  ...{ 'token.id': 'play_4pTqWm8ZxR2vLc7N', 'requests.id': exampleIds.request, 'request.id': exampleIds.request },
  ...{
    url: 'https://example.com/hook',
    link: 'https://example.com/join#token',
    pdf_url: 'https://example.com/TG-0001.pdf'
  },
  ...{
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'invoices.id': 'in_1SXkq2',
    number: 'TG-0001',
    currency: 'usd'
  },
  ...{
    '.code': '123456',
    token_hash: 'pkce_1f0e7b',
    type: 'key.revoked',
    action: 'key.revoked',
    subject: exampleIds.key
  },
  ...{
    amount: 2000,
    created: 1796040000,
    title: 'Slower answers',
    text: 'We look into it.',
    browser: 'Firefox on Linux'
  },
  ...{ limit_usd: 50, monthly_budget_usd: 50, request_budget_usd: 2, add_usd: 25, plan_monthly_budget_usd: 100 },
  ...{ per_minute: 500, requests_per_minute: 500, burst: 84, left: 84, burst_requests: 84, concurrent_requests: 50 },
  ...{ tokens_per_minute: 1000000, burst_tokens: 1000000, context_tokens: 400000, max_output_tokens: 128000 },
  ...{ requests: 42, prompt_tokens: 5250, completion_tokens: 1890, attempts: 1, seats: 3, used: 1, expires_in: 3600 },
  ...{ spent_usd: '12.50', reserved_usd: '0.00', remaining_usd: '37.50', budget_usd: '100.00', cap_usd: '100.00' },
  ...{ cost_usd: '0.0123', today_usd: '1.20', request_usd: '0.00', spent_before_usd: '0.00' },
  ...{ first_byte_ms: 320, duration_ms: 1840, p50: 320, p95: 1840, status: 200, granted_output_tokens: 16384 },
  ...{
    input: 0.25,
    cached_input: 0.025,
    output: 2,
    reasoning: 2,
    metadata: { tenant: '7' },
    event_types: ['key.revoked']
  },
  ...{ thresholds: [50, 80, 100], key_thresholds: [50, 80, 100], refusals: [], announcements: [], failed_attempts: [] },
  ...{ models: null, addresses: null, group_by: 'none', version: '0.4.0', message: 'Hello!', next_cursor: null },
  ...{
    recovery_codes: ['abcd-efgh-jkmn-pqrs'],
    uri: 'otpauth://totp/Example:ada@example.com?secret=JBSWY3DP',
    ip: '203.0.113.7'
  },
  ...{
    description: 'Billing',
    reason: 'A correction',
    day: '2026-11-30',
    utc_hours: [],
    weekdays: [],
    entitlements: ['chat']
  },
  ...{
    window: 'month',
    interval: 'day',
    'prices.interval': 'month',
    'requests.kind': 'settled',
    'request.kind': 'settled'
  },
  ...{ 'buckets.code': 'key_budget_exceeded', 'open.code': 'key_budget_exceeded', 'month.left_usd': '87.50' },
  ...{ 'event_types.description': 'A key was revoked.', current_password: 'correct horse battery', is_included: true },
  ...{
    'tokens.per_minute': 1000000,
    'tokens.burst': 1000000,
    'tokens.left': 993185,
    limit: 50,
    'keys.limit': 5,
    in_use: 1
  },
  ...{ 'providers.name': 'openai', 'invoices.status': 'paid', aliases: [], tier: 'default', 'refunds.id': 're_1SXkq3' },
  ...{ 'entries.id': '11', 'account.budgets': ['$5 a day'], subject_exists: true, 'next_charge.amount': 2000 },
  ...Object.fromEntries(
    ['key', 'keys'].flatMap((key) =>
      ['thresholds', 'requests_per_minute', 'tokens_per_minute', 'concurrent_requests'].map((name) => [
        `${key}.${name}`,
        null
      ])
    )
  )
}

/** Instants by name; others are {@link now}. */
const instants: Readonly<Record<string, string>> = {
  created: '2026-11-02T09:30:00.000Z',
  joined: '2026-11-02T09:30:00.000Z',
  from: '2026-11-01T00:00:00.000Z',
  start: '2026-11-01T00:00:00.000Z',
  to: '2026-12-01T00:00:00.000Z',
  resets_at: '2026-12-01T00:00:00.000Z',
  expires_at: '2026-12-07T09:30:00.000Z',
  renews_at: '2026-12-02T09:30:00.000Z',
  ends_at: '2026-12-07T09:30:00.000Z'
}
const now = '2026-11-30T12:00:00.000Z'

/** What is true in an example. */
const claims: ReadonlySet<string> = new Set([
  'ok',
  'enabled',
  'can_change',
  'in_force',
  'on',
  'done',
  'current',
  'is_now'
])

interface Place {
  /** The name of the member. */
  readonly name: string
  /** The name of the member that it is in. */
  readonly parent: string
  /** Null is what an answer mostly has. A request with null would change nothing worth showing. */
  readonly isAnswer: boolean
}

/** The least that a request of this schema has: required members only, the first alternative, one item. */
export const exampleOf = (schema: JsonSchema, named: NamedSchemas): unknown =>
  writeValue(schema, named, { name: '', parent: '', isAnswer: false })

/** An answer of this schema, with the members that every answer has. */
export const exampleAnswerOf = (schema: JsonSchema, named: NamedSchemas): unknown =>
  writeValue(schema, named, { name: '', parent: '', isAnswer: true })

function writeValue(schema: JsonSchema, named: NamedSchemas, place: Place): unknown {
  const { name, parent, isAnswer } = place
  const own = resolve(schema, named)
  if ('const' in own) return own.const
  if (Array.isArray(own.examples)) return own.examples[0]
  const full = `${parent}.${name}`
  const known = full in valuesByName ? valuesByName[full] : valuesByName[name]
  const alternatives = alternativesOf(own)
  const kinds = [own, ...alternatives].map((one) => resolve(one, named))
  if (known !== undefined && kinds.some((one) => fits(known, one))) return known
  if (Array.isArray(own.enum)) return own.enum[0]
  const isNullable = kinds.some(({ type }) => type === 'null')
  if (isNullable && isAnswer) return null
  const first = alternatives.find((one) => resolve(one, named).type !== 'null')
  if (first !== undefined) return writeValue(first, named, place)
  switch (own.type) {
    case 'array': {
      const item = writeValue(asSchema(own.items), named, place)
      return Array.from({ length: Math.max(1, Number(own.minItems ?? 1)) }, () => item)
    }
    case 'integer':
    case 'number':
      return typeof own.minimum === 'number' ? Math.max(isAnswer ? 0 : 1, own.minimum) : isAnswer ? 0 : 1
    case 'boolean':
      return !isAnswer || claims.has(name)
    case 'string':
      if (own.format === 'date-time') return instants[name] ?? now
      if (own.format === 'date') return now.slice(0, 10)
      if (own.format === 'uuid') return exampleIds.uuid
      return typeof own.pattern === 'string' && own.pattern.includes('[0-9]{2,9}') ? '0.00' : `<${name}>`
    default:
      return membersOf(own, named, place)
  }
}

/** Whether a value has the type of a schema. */
function fits(value: unknown, { type, format, items, const: pinned, enum: values }: JsonSchema): boolean {
  if ((format !== undefined && format !== 'date') || pinned !== undefined) return false
  if (Array.isArray(values)) return values.includes(value)
  if (value === null) return type === 'null'
  if (Array.isArray(value)) {
    return type === 'array' && value.every((one) => typeof one !== 'object' && fits(one, asSchema(items)))
  }
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value))
  return typeof value === 'object' ? type === 'object' : type === typeof value
}

function membersOf(
  { properties, required, patternProperties }: JsonSchema,
  named: NamedSchemas,
  { name, isAnswer }: Place
): unknown {
  if (properties === undefined && patternProperties !== undefined) return {}
  const needed = new Set(Array.isArray(required) ? (required as string[]) : [])
  return Object.fromEntries(
    Object.entries(asSchema(properties))
      .filter(([member]) => needed.has(member))
      .map(([member, value]) => [member, writeValue(asSchema(value), named, { name: member, parent: name, isAnswer })])
  )
}
