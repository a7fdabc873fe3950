import assert from 'node:assert/strict'
import { test } from 'tap'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ConfirmQuery, EmptyRequest, LoginRequest, OkResponse, RegisterRequest, UserResponse } from './auth.ts'
import { ErrorResponse } from './error.ts'
import { CreateKeyRequest, CreateKeyResponse, KeyParams, ListKeysResponse } from './keys.ts'
import { ModelEntry, ModelList } from './models.ts'

const user = { id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', email: 'a@example.com', name: 'A', plan: 'free' }
const key = {
  id: 'key_1',
  label: 'one',
  prefix: 'abcdefgh',
  status: 'active',
  scope: 'inference',
  expires_at: null,
  last_used: null,
  created: '2026-11-21T10:00:00.000Z'
}
const model = { id: 'm', object: 'model', created: 1, owned_by: 'o' }
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
      { label: "';--" }
    ],
    [{}, { label: '' }, { label: 'x'.repeat(101) }, { label: 'a\0b' }, { label: 1 }, { label: 'x', extra: 1 }]
  ],
  ['KeyParams', KeyParams, [{ id: 'key_1' }], [{}]],
  [
    'ListKeysResponse',
    ListKeysResponse,
    [{ keys: [] }, { keys: [key, { ...key, last_used: '2026-11-21T10:00:00.000Z' }] }],
    [{ keys: [{ ...key, status: 'gone' }] }, { keys: [{ ...key, created: 'yesterday' }] }, {}]
  ],
  [
    'CreateKeyResponse',
    CreateKeyResponse,
    [{ key: { id: 'key_1', label: 'x', value: 'tg_' } }],
    [{ key: { id: 'key_1' } }]
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
  test(`${name} takes what the contract shows and nothing else`, async () => {
    for (const value of good) assert.deepEqual(Value.Errors(schema, value), [], JSON.stringify(value))
    for (const value of bad) assert.ok(!Value.Check(schema, value), JSON.stringify(value))
  })
}
