import OpenAI from 'openai'
import type { Test } from 'tap'
import { post } from './client.ts'
import type { FakeUpstream } from './fake-upstream.ts'
import { collectLogLines } from './log-lines.ts'
import { answerWith } from './responses-answers.ts'
import { catalogOf, type TestGateway } from './start-gateway.ts'
import type { SeededKey } from './test-keys.ts'
import { startTwoUpstreams, type TwoUpstreams } from './two-upstreams.ts'

/** Models of two upstreams that speak Responses. */
const catalog = catalogOf({
  small: [{ upstream: 'first' }, { upstream: 'second', priority: 1 }],
  renamed: [{ upstream: 'first', model: 'name-at-the-upstream' }],
  thinking: [{ upstream: 'first' }],
  blind: [{ upstream: 'first' }],
  exact: [{ upstream: 'first' }],
  elsewhere: [{ upstream: 'other' }]
})
for (const model of Object.values(catalog.models)) model.tokenizer = 'o200k_base'
Object.assign(catalog.models.exact!, { tokenizer: null, fewestOutputTokens: 1 })
catalog.models.thinking!.hidesOutput = true
delete catalog.models.blind!.images

/** What the tests of the Responses API share. The first four exist once the tests run. */
export interface ResponsesInTest {
  upstream: FakeUpstream
  second: FakeUpstream
  gateway: TestGateway
  seeded: SeededKey
  bodyOf(members?: object): object
  ask(members?: object, options?: RequestInit): Promise<Response>
  /** The log line of a request. */
  lineOf(response: Response): ReturnType<ReturnType<typeof collectLogLines>['of']>
  client(): OpenAI
}

/** Starts a gateway and its upstreams before the tests of a file, and stops them afterwards. */
export function useResponses(t: Test): ResponsesInTest {
  const lines = collectLogLines()
  let running: TwoUpstreams
  const api = {
    bodyOf: (members = {}) => ({ model: 'small', input: 'Hello', max_output_tokens: 100, store: false, ...members }),
    ask: (members = {}, options = {}) =>
      post(api.gateway, api.seeded.secret, '/responses', api.bodyOf(members), options),
    lineOf: (response) => lines.of(response.headers.get('x-request-id')),
    client: () => new OpenAI({ baseURL: `${api.gateway.url}/v1`, apiKey: api.seeded.secret, maxRetries: 0 })
  } as ResponsesInTest
  t.before(async () => {
    running = await startTwoUpstreams({ catalog, log: lines.log }, (first, second) => ({
      first: [`${first}/v1`, 'chat, responses'],
      second: [`${second}/v1`, 'responses'],
      other: [`${second}/v1`, 'chat']
    }))
    const { first: upstream, second, gateway } = running
    Object.assign(api, { upstream, second, gateway, seeded: await gateway.seedKey() })
  })
  t.beforeEach(async () => {
    api.upstream.answer(answerWith(['Hello', ' world']))
    api.second.answer(answerWith(['Second']))
  })
  t.teardown(() => running.close())
  return api
}
