import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { describeRefusal, readRefusal } from './read-refusal.ts'

const defaultError = {
  message: 'The upstream provider refused the request.',
  type: 'invalid_request_error',
  code: 'invalid_request'
}
function describe(body: unknown, secret: string | null = 's3cret'): Record<string, unknown> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const { code, body: json } = describeRefusal(readRefusal(bytes), { secret, renamed: null })
  const { error } = JSON.parse(json)
  assert.equal(error.code, code)
  return error
}

/** What providers send → what the client gets. */
const shapes: Array<[from: string, body: unknown, error: object]> = [
  [
    'OpenAI',
    {
      error: {
        message: 'Invalid value: robot',
        type: 'invalid_request_error',
        param: 'messages[0].role',
        code: 'invalid_value'
      }
    },
    { message: 'Invalid value: robot', type: 'invalid_request_error', param: 'messages[0].role', code: 'invalid_value' }
  ],
  [
    'OpenAI, without a code',
    { error: { message: 'No', type: 'invalid_request_error', param: null, code: null } },
    { message: 'No', type: 'invalid_request_error', param: null, code: 'invalid_request' }
  ],
  [
    'Azure: content filter (learn.microsoft.com, Azure OpenAI content filtering)',
    {
      error: {
        message: 'The response was filtered.',
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: { filtered: true } } }
      }
    },
    {
      message: 'The response was filtered.',
      type: 'invalid_request_error',
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: { filtered: true } } }
    }
  ],
  [
    'Azure',
    { error: { code: 'DeploymentNotFound', message: 'No deployment.' } },
    { ...defaultError, code: 'DeploymentNotFound', message: 'No deployment.' }
  ],
  [
    'Azure API Management',
    { statusCode: 404, message: 'Resource not found' },
    { ...defaultError, message: 'Resource not found' }
  ],
  [
    'vLLM before 0.10 (vllm: entrypoints/openai/protocol.py, ErrorResponse)',
    {
      object: 'error',
      message: 'This model’s maximum context length is 16 tokens.',
      type: 'BadRequestError',
      param: null,
      code: 400
    },
    { message: 'This model’s maximum context length is 16 tokens.', type: 'BadRequestError', code: 'invalid_request' }
  ],
  [
    'vLLM',
    { error: { message: 'Too long.', type: 'BadRequestError', param: 'messages', code: 400 } },
    { message: 'Too long.', type: 'BadRequestError', param: 'messages', code: 'invalid_request' }
  ],
  [
    'llama.cpp',
    { error: { code: 400, message: 'Exceeds the context.', type: 'exceed_context_size_error', n_ctx: 16 } },
    { code: 'invalid_request', message: 'Exceeds the context.', type: 'exceed_context_size_error', n_ctx: 16 }
  ],
  ['Ollama, /api', { error: 'model "x" not found' }, { ...defaultError, message: 'model "x" not found' }],
  [
    'Ollama, /v1',
    { error: { message: 'model "x" not found', type: 'not_found_error', param: null, code: null } },
    { message: 'model "x" not found', type: 'not_found_error', param: null, code: 'invalid_request' }
  ],
  [
    'Anthropic (docs.anthropic.com/en/api/errors)',
    { type: 'error', error: { type: 'not_found_error', message: 'model: x' }, request_id: 'req_1' },
    { type: 'not_found_error', message: 'model: x', code: 'invalid_request' }
  ],
  [
    'Gemini: an array (google-gemini/gemini-cli#12823)',
    [
      {
        error: {
          code: 400,
          message: 'Invalid JSON payload.',
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field: 'temperature', description: 'Too high' }]
            }
          ]
        }
      }
    ],
    {
      message: 'Invalid JSON payload.',
      type: 'invalid_request_error',
      code: 'INVALID_ARGUMENT',
      param: 'temperature',
      status: 'INVALID_ARGUMENT'
    }
  ],
  [
    'FastAPI, several faults (Mistral: Gitlawb/openclaude#739)',
    {
      detail: [
        { type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted', input: 'my words' },
        { type: 'missing', loc: ['body', 'messages', 0, 'role'], msg: 'Field required', input: {} }
      ]
    },
    {
      ...defaultError,
      message: 'store: Extra inputs are not permitted; messages.0.role: Field required',
      param: 'store'
    }
  ],
  ['FastAPI, a text', { detail: 'Not Found' }, { ...defaultError, message: 'Not Found' }],
  ['FastAPI, an object', { detail: { error: { message: 'Bad tool' } } }, { ...defaultError, message: 'Bad tool' }],
  [
    'Mistral',
    {
      object: 'error',
      message: { detail: [{ type: 'enum', loc: ['body', 'messages', 0, 'role'], msg: 'Not a role', input: 'x' }] },
      type: 'invalid_request_error',
      param: null,
      code: '1000'
    },
    { message: 'messages.0.role: Not a role', type: 'invalid_request_error', param: 'messages.0.role', code: '1000' }
  ],
  ['Cohere', { id: '1', message: 'invalid request: tools' }, { ...defaultError, message: 'invalid request: tools' }],
  ['AWS', { Message: 'Too large', __type: 'ValidationException' }, { ...defaultError, message: 'Too large' }],
  [
    'xAI',
    { code: 'Client specified an invalid argument', error: 'Bad role' },
    { ...defaultError, message: 'Bad role', code: 'Client specified an invalid argument' }
  ],
  [
    'text-generation-inference',
    { error: 'Input validation error', error_type: 'validation' },
    { ...defaultError, message: 'Input validation error', type: 'validation' }
  ],
  [
    'RFC 9457',
    { type: 'https://example.com/too-long', title: 'Too long', status: 422, detail: 'It is too long.' },
    { ...defaultError, message: 'It is too long.' }
  ],
  ['a numeric code', { error: { message: 'No', code: 1210 } }, { ...defaultError, message: 'No', code: '1210' }],
  ['text', 'no healthy\r\n\tmodel\n', { ...defaultError, message: 'no healthy model' }],
  [
    'HTML with a title (nginx)',
    '<html>\r\n<head><title>413 Request Entity Too Large</title></head><body><h1>413</h1><hr>nginx</body></html>',
    { ...defaultError, message: '413 Request Entity Too Large' }
  ],
  [
    'HTML',
    '<p class="a">It is <b>R&amp;D&#39;s</b></p><script>alert(1)</script>',
    { ...defaultError, message: "It is R&D's" }
  ]
]

for (const [from, body, error] of shapes) {
  t.test(`the reason of a refusal reaches the client: ${from}`, async () => {
    const { details: _, ...rest } = describe(body)
    assert.deepEqual(rest, error)
  })
}

t.test('a refusal without a readable message gets a general one', async () => {
  const nothing = [
    '',
    ' ',
    'null',
    '[]',
    '[1]',
    '"x"',
    '5',
    '{}',
    '{"error":',
    '[{"error"',
    '{"error":{"message":5}}',
    '<html></html>'
  ]
  for (const body of nothing) assert.deepEqual(describe(body), defaultError, body)
  assert.deepEqual(describe('{"error":[1]}'), defaultError)
  assert.equal(readRefusal(gzipSync('{"error":"no"}')).message, null, 'compressed')
})

t.test('a credential that the provider repeats never reaches the client, in any form', async () => {
  for (const body of [
    { error: { message: 'no such key: s3cret' } },
    { error: { message: 'no', hint: ['s3cret'] } },
    { error: { message: 'no', s3cret: 1 } },
    'key s3cret is unknown',
    '{"error":{"message":"no such key: s3\\u0063ret"}}'
  ]) {
    assert.deepEqual(describe(body), defaultError, JSON.stringify(body))
  }
  assert.deepEqual(describe({ error: { message: 'a "quoted\\ key' } }, 'a "quoted\\ key'), defaultError)
  assert.equal(
    describe({ error: { message: 's3cret' } }, null).message,
    's3cret',
    'without a credential, nothing is replaced'
  )
})

t.test('the client gets a message of bounded length, however long the original is', async () => {
  const long = 'x'.repeat(60_000)
  for (const body of [
    { error: { message: long } },
    { error: long },
    { detail: Array.from({ length: 1000 }, () => ({ loc: ['body', long.slice(0, 50)], msg: long.slice(0, 50) })) },
    long,
    `<title>${long}</title>`,
    `{"detail":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    `{"error":{"message":"no","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`
  ]) {
    assert.ok(String(describe(body).message).length <= 16_384)
  }
  const { type, code } = describe({ error: { message: 'no', type: long, code: long } })
  assert.deepEqual([type, code], [defaultError.type, defaultError.code])
})

t.test('for any refusal, the client gets one error with texts, and never the credential', async () => {
  const name = fc.constantFrom('error', 'message', 'detail', 'type', 'code', 'param', 'loc', 'msg', 'details', 'x')
  const words = fc.constantFrom('s3cret', 'a s3cret key', '', '<b>s3cret', 'no', '\u0000', '\ud800')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      words,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 })
    )
  }))
  const bodies = fc.oneof(
    value.map((one) => Buffer.from(JSON.stringify(one))),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.oneof(words, fc.constantFrom('<', '>', '</', 'title', 'script', '&lt;', '{')))
      .map((parts) => Buffer.from(parts.join('')))
  )
  fc.assert(
    fc.property(bodies, (body) => {
      const described = describeRefusal(readRefusal(body), { secret: 's3cret', renamed: null })
      const { message, type, code } = JSON.parse(described.body).error
      const texts = [message, type, code, described.code]
      return texts.every((text) => typeof text === 'string' && text !== '') && !described.body.includes('s3cret')
    }),
    propertyRuns(500)
  )
})
