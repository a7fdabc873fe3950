import assert from 'node:assert/strict'
import type OpenAITypes from 'openai'
import { type ClientAccess, failureOf, type Journeys } from './client-access.ts'
import type { OpenaiKit } from './kits.ts'

const hello = [{ role: 'user' as const, content: 'Hi' }]

/** Tests that the official SDK throws its own class for each failure, with code, type, message and request id. */
export function openaiErrors(t: Journeys, { OpenAI }: OpenaiKit, access: ClientAccess): void {
  for (const [name, { call, kind, status, code, type }] of Object.entries(failures(OpenAI, access))) {
    t.test(['error classes'], `${name} throws ${kind.name}`, async () => {
      const failure = await failureOf(OpenAI, call())
      assert.ok(failure instanceof kind, `${failure?.constructor.name}`)
      assert.deepEqual([failure?.status, failure?.type, failure?.code], [status, type, code])
      assert.match(failure!.requestID!, /^req_/)
      assert.match(failure!.message, new RegExp(`^${status} .{10}`), 'the message says what is wrong')
    })
  }

  t.test(
    ['errors in streams'],
    'a stream that breaks off upstream throws in the loop, after the chunks that arrived',
    async () => {
      const openai = new OpenAI({ baseURL: access.baseURL, apiKey: access.apiKey, maxRetries: 0 })
      const stream = await openai.chat.completions.create({
        model: access.misbehaving['breaks-off'],
        messages: hello,
        stream: true
      })
      let chunks = 0
      const failure = await failureOf(
        OpenAI,
        (async () => {
          for await (const _chunk of stream) chunks++
        })()
      )
      assert.equal(chunks, 3)
      assert.deepEqual([failure?.code, failure?.type], ['upstream_error', 'upstream_error'])
    }
  )
}

interface Failure {
  call(): Promise<unknown>
  readonly kind: typeof OpenAITypes.APIError
  readonly status: number
  readonly code: string
  readonly type: string
}

/** Calls that fail, and how. */
function failures(
  OpenAI: OpenaiKit['OpenAI'],
  { baseURL, apiKey, freeApiKey, misbehaving }: ClientAccess
): Record<string, Failure> {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const withKey = (other: string) => new OpenAI({ baseURL, apiKey: other, maxRetries: 0 })
  const chat = (client: OpenAITypes, model: string) => client.chat.completions.create({ model, messages: hello })
  const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`

  return {
    'a wrong key': {
      call: () => chat(withKey(wrongKey), 'gpt-4o-mini'),
      kind: OpenAI.AuthenticationError as never,
      status: 401,
      code: 'invalid_api_key',
      type: 'authentication_error'
    },
    'a model of another plan': {
      call: () => chat(withKey(freeApiKey), 'gpt-4o'),
      kind: OpenAI.PermissionDeniedError as never,
      status: 403,
      code: 'model_not_allowed',
      type: 'permission_error'
    },
    'a request without messages': {
      call: () => openai.chat.completions.create({ model: 'gpt-4o-mini' } as never),
      kind: OpenAI.BadRequestError as never,
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error'
    },
    'a request that the upstream refuses': {
      call: () =>
        openai.chat.completions.create({
          model: 'gpt-4o-mini',
          messages: [{ role: 'robot' as never, content: 'Hi' }]
        }),
      kind: OpenAI.BadRequestError as never,
      status: 400,
      code: 'invalid_value',
      type: 'invalid_request_error'
    },
    'an unknown endpoint': {
      call: () => openai.images.generate({ model: 'dall-e-3', prompt: 'Hi' }),
      kind: OpenAI.NotFoundError as never,
      status: 404,
      code: 'unknown_endpoint',
      type: 'invalid_request_error'
    },
    'an upstream that fails': {
      call: () => chat(openai, misbehaving['fails-always']),
      kind: OpenAI.InternalServerError as never,
      status: 502,
      code: 'upstream_error',
      type: 'upstream_error'
    }
  }
}
