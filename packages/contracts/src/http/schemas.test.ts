import assert from 'node:assert/strict'
import { test } from 'tap'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import {
  AddressRequest,
  ChangePasswordRequest,
  ChangeUserRequest,
  ConfirmQuery,
  ConfirmRequest,
  EmptyRequest,
  LoginRequest,
  OkResponse,
  RegisterRequest,
  ResetPasswordRequest,
  SignoutRequest,
  UserResponse
} from './auth.ts'
import { BillingPlanResponse, CheckoutRequest, InvoicesQuery, InvoicesResponse } from './billing.ts'
import { ErrorResponse } from './error.ts'
import {
  CreateKeyRequest,
  CreateKeyResponse,
  GetKeyResponse,
  KeyParams,
  ListKeysResponse,
  RotateKeyResponse
} from './keys.ts'
import { ModelEntry, ModelList } from './models.ts'

const user = { id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', email: 'a@example.com', name: 'A', plan: 'free' }
const key = {
  id: 'key_1',
  label: 'one',
  prefix: 'abcdefgh',
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
  old_secret_until: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  metadata: {},
  last_used: null,
  created: '2026-11-21T10:00:00.000Z',
  can_change: true
}
const model = {
  id: 'm',
  object: 'model',
  created: 1,
  owned_by: 'o',
  supported_features: ['tools'],
  endpoints: ['/v1/chat/completions'],
  context_length: 2,
  top_provider: { context_length: 2, max_completion_tokens: null },
  pricing: { prompt: '0', completion: '0.000001', input_cache_read: '0', request: '0' }
}
const plan = {
  id: 'pro',
  name: 'Pro',
  renews_at: '2026-12-21T10:00:00.000Z',
  entitlements: ['chat'],
  past_due: false,
  cancel_at: null,
  price_id: 'price_1'
}
const invoice = {
  id: 'in_1',
  number: 'TG-0001',
  amount: 2000,
  currency: 'usd',
  status: 'paid',
  created: 1,
  due: null,
  pdf_url: 'https://x.test/p'
}
const login = { email: 'a@example.com', password: 'secret' }

const cases: Array<[name: string, schema: TSchema, good: unknown[], bad: unknown[]]> = [
  [
    'RegisterRequest',
    RegisterRequest,
    [{ ...login, name: 'A' }],
    [
      {},
      login,
      { ...login, name: '' },
      { ...login, name: 'x'.repeat(201) },
      { ...login, name: 1 },
      { ...login, name: 'a\0b' },
      { ...login, name: 'A', plan: 'pro' }
    ]
  ],
  [
    'CheckoutRequest',
    CheckoutRequest,
    [{ price_id: 'price_1' }],
    [{}, { price_id: '' }, { price_id: 1 }, { price_id: 'x'.repeat(201) }, { price_id: 'price_1', quantity: 2 }]
  ],
  [
    'BillingPlanResponse',
    BillingPlanResponse,
    [{ plan }, { plan: { ...plan, renews_at: null, price_id: null } }],
    [{}, { plan: { ...plan, renews_at: undefined } }, { plan: { ...plan, renews_at: 'soon' } }]
  ],
  [
    'InvoicesQuery',
    InvoicesQuery,
    [{}, { limit: '1' }, { limit: '100', starting_after: 'in_1' }],
    [
      { limit: '0' },
      { limit: '101' },
      { limit: '1e1' },
      { starting_after: '' },
      { starting_after: '../x' },
      { after: 'x' }
    ]
  ],
  [
    'InvoicesResponse',
    InvoicesResponse,
    [{ invoices: [invoice, { ...invoice, number: null, status: 'draft', due: 1, pdf_url: null }], has_more: false }],
    [{ invoices: [invoice] }, { invoices: [{ ...invoice, amount: 20.5 }], has_more: false }]
  ],
  [
    'LoginRequest',
    LoginRequest,
    [login],
    [
      {},
      { ...login, email: '' },
      { ...login, email: 'a\nb@example.com' },
      { ...login, password: '' },
      { ...login, remember: true },
      [login],
      null
    ]
  ],
  [
    'ConfirmQuery',
    ConfirmQuery,
    [{ token_hash: 'h', type: 'email' }, { utm_source: 'mail' }, {}],
    [{ token_hash: 1 }, { type: ['email', 'recovery'] }]
  ],
  [
    'ConfirmRequest',
    ConfirmRequest,
    [
      { token_hash: 'h', type: 'email', password: 'secret' },
      { token_hash: 'h', type: 'signup', password: 'secret', set: true },
      { access_token: 'a.b.c', password: 'secret', set: false }
    ],
    [
      {},
      { token_hash: 'h', password: 'secret' },
      { token_hash: 'h', type: 'recovery', password: 'secret' },
      { access_token: 'a.b.c', type: 'email', password: 'secret' },
      { access_token: 'a.b.c', password: 'secret', set: 'yes' }
    ]
  ],
  ['AddressRequest', AddressRequest, [{ email: 'a@example.com' }], [{}, { email: '' }, { email: 'a\0b' }, login]],
  [
    'ResetPasswordRequest',
    ResetPasswordRequest,
    [
      { token_hash: 'h', password: 'secret' },
      { access_token: 'a.b.c', password: 'secret' },
      { token_hash: 'h', password: 'secret', revoke_keys: true }
    ],
    [
      {},
      { password: 'secret' },
      { token_hash: 'h' },
      { token_hash: '', password: 'secret' },
      { token_hash: 'h', access_token: 'a.b.c', password: 'secret' },
      { token_hash: 'h', password: 'secret', type: 'recovery' }
    ]
  ],
  [
    'ChangePasswordRequest',
    ChangePasswordRequest,
    [{ current_password: 'old', password: 'new' }],
    [
      { password: 'new' },
      { current_password: '', password: 'new' },
      { current_password: 'old', password: 'new', id: 1 }
    ]
  ],
  [
    'ChangeUserRequest',
    ChangeUserRequest,
    [{ name: 'Ada' }, { name: "';-- <b>" }],
    [{}, { name: '' }, { name: 'a\0' }, { name: 'x'.repeat(201) }, { name: 'Ada', email: 'a@example.com' }]
  ],
  [
    'SignoutRequest',
    SignoutRequest,
    [null, {}, { everywhere: true }, { everywhere: false }],
    [{ everywhere: 'yes' }, { all: true }, []]
  ],
  ['UserResponse', UserResponse, [{ user }], [{ user: { ...user, id: 'not a uuid' } }, { user: null }]],
  ['EmptyRequest', EmptyRequest, [null, {}], [{ everything: true }, [], 'text']],
  ['OkResponse', OkResponse, [{ ok: true }], [{ ok: false }, {}]],
  ['ErrorResponse', ErrorResponse, [{ error: { message: 'm', type: 't', code: 'c' } }], [{ error: 'm' }, {}]],
  [
    'CreateKeyRequest',
    CreateKeyRequest,
    [
      { label: 'x' },
      { label: '€'.repeat(100) },
      { label: '😀'.repeat(100) },
      { label: ' spaces kept ' },
      { label: "';--" },
      { label: 'x', scope: 'management', expires_at: null, models: ['m'], monthly_budget_usd: 0.5, metadata: {} },
      {
        label: 'x',
        metadata: { 'tenant.id': '' },
        requests_per_minute: 1,
        tokens_per_minute: 1e9,
        concurrent_requests: 1
      }
    ],
    [
      { label: 'x', scope: 'all' },
      { label: 'x', models: [] },
      { label: 'x', addresses: [] },
      { label: 'x', addresses: ['::1', '::1'] },
      { label: 'x', addresses: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) },
      { label: 'x', models: ['m', 'm'] },
      { label: 'x', monthly_budget_usd: -1 },
      { label: 'x', requests_per_minute: 0.5 },
      { label: 'x', tokens_per_minute: 0 },
      { label: 'x', tokens_per_minute: 1e9 + 1 },
      { label: 'x', concurrent_requests: 1.5 },
      { label: 'x', concurrent_requests: 1e6 + 1 },
      { label: 'x', metadata: { 'a b': '' } },
      { label: 'x', metadata: { a: 1 } },
      {},
      { label: '' },
      { label: 'x'.repeat(101) },
      { label: 'a\0b' },
      { label: 1 },
      { label: 'x', extra: 1 }
    ]
  ],
  ['KeyParams', KeyParams, [{ id: 'key_1' }], [{}]],
  [
    'ListKeysResponse',
    ListKeysResponse,
    [
      { keys: [], next_cursor: null },
      {
        keys: [
          { ...key, creator: null, refusals: [] },
          {
            ...key,
            creator: 'A',
            refusals: [],
            spent_usd: '0.1',
            last_used: '2026-11-21T10:00:00.000Z',
            metadata: { a: 'b' }
          }
        ],
        next_cursor: 'x'
      }
    ],
    [
      { keys: [{ ...key, status: 'gone' }], next_cursor: null },
      { keys: [{ ...key, created: 'yesterday' }], next_cursor: null },
      { keys: [] },
      {}
    ]
  ],
  [
    'CreateKeyResponse',
    CreateKeyResponse,
    [{ key: { id: 'key_1', label: 'x', value: 'tg_' } }],
    [{ key: { id: 'key_1' } }]
  ],
  [
    'RotateKeyResponse',
    RotateKeyResponse,
    [{ key: { id: 'key_1', label: 'x', value: 'tg_', in_force: false } }],
    [{ key: { id: 'key_1', label: 'x', value: 'tg_' } }]
  ],
  [
    'GetKeyResponse',
    GetKeyResponse,
    [{ key: { ...key, creator: 'A', refusals: [], spent_usd: '0', in_force: true } }],
    [{ key }, { key: { in_force: true } }]
  ],
  [
    'ModelEntry',
    ModelEntry,
    [model],
    [
      { ...model, created: '1' },
      { ...model, object: 'list' }
    ]
  ],
  ['ModelList', ModelList, [{ object: 'list', data: [model] }], [{ object: 'list' }, { data: [model] }]]
]

for (const [name, schema, good, bad] of cases) {
  test(`${name} accepts only valid values`, async () => {
    for (const value of good) assert.deepEqual(Value.Errors(schema, value), [], JSON.stringify(value))
    for (const value of bad) assert.ok(!Value.Check(schema, value), JSON.stringify(value))
  })
}
