import type { ApiName } from '../ask.ts'
import {
  type Ask,
  type Changes,
  hangUps,
  type Kind,
  kindOf,
  longText,
  marker,
  oddSearches,
  some,
  streamed,
  wholeAndStreamed,
  words
} from './kind.ts'

/** How a request of one API has the provider's web search. */
interface SearchApi {
  readonly api: ApiName
  /** Catalog name of the model with every price. */
  readonly model: string
  prompt(text: string): Record<string, unknown>
  /** @param max calls; absent for a request without a limit */
  search(max?: number): Record<string, unknown>
}

const responses: SearchApi = {
  api: 'responses',
  model: 'priced',
  prompt: (input) => ({ store: false, input }),
  search: (max) => ({ tools: [{ type: 'web_search' }], ...(max !== undefined && { max_tool_calls: max }) })
}
const messages: SearchApi = {
  api: 'messages',
  model: 'priced-messages',
  prompt: (content) => ({ max_tokens: 400, messages: [{ role: 'user', content }] }),
  search: (max) => ({
    tools: [{ type: 'web_search_20250305', name: 'web_search', ...(max !== undefined && { max_uses: max }) }]
  })
}

const rare = { weight: 0.5 }
const unreported = { ...rare, isReported: false }

/** Requests in which the provider searches the web. Each has a limit of two searches, or none. */
function searchKindsOf({ api, model, prompt, search }: SearchApi): Kind[] {
  const kind = (name: string, body: Ask, changes: Changes = {}): Kind =>
    kindOf(api, name, (random) => ({ model, ...search(), ...prompt(words(random, 40)), ...body(random) }), changes)
  const both = (name: string, body?: Ask, changes?: Changes): Kind[] => wholeAndStreamed(kind, name, body, changes)
  /** Tells the model server what to do. */
  const telling =
    (...directives: readonly string[]): Ask =>
    (random) =>
      prompt(`${marker(...directives)} ${words(random, 40)}`)
  /** Ends the answer after some of its events: within or after the searches. */
  const breaking =
    (how: 'reset' | 'end' | 'error'): Ask =>
    (random) =>
      telling('searches=2', `${how}-after=${2 + some(random, 14)}`)(random)
  const hungUp = (name: string, body: Ask): Kind[] =>
    hangUps((full, changes) => kind(full, (random) => ({ ...body(random), ...streamed(random) }), changes), name)

  return [
    ...both('a search'),
    ...both('several searches', telling('searches=3')),
    ...both('as many searches as the limit allows', (random) => ({ ...telling('searches=9')(random), ...search(2) })),
    ...both('more searches than the gateway allows', telling('searches=30')),
    ...both('no search, although it may', telling('searches=0')),
    ...both('a search, long prompt', (random) => prompt(longText(random))),
    ...both('a search, cached', telling('searches=2', 'cached-tokens=31', 'cache-write-tokens=17')),
    ...both('a search, reasoning', () => ({ model: 'priced-thinking' })),
    ...both('a search, usage not reported', telling('searches=2', 'no-usage'), unreported),
    ...['missing', 'none', 'negative'].flatMap((odd) =>
      both(`a search, usage ${odd}`, telling('searches=2', `odd-usage=${odd}`), unreported)
    ),
    ...oddSearches.flatMap((odd) =>
      both(`two searches, their report ${odd}`, telling('searches=2', `odd-answer=searches-${odd}`), rare)
    ),
    kind('a search, upstream that fails', () => ({ model: 'priced-failing' }), rare),
    ...both('a search, broken in the middle', breaking('reset'), rare),
    kind(
      'a search, ended in the middle, streamed',
      (random) => ({ ...breaking('end')(random), ...streamed(random) }),
      rare
    ),
    ...both('a search, error in the middle', breaking('error'), rare),
    ...hungUp('a search', telling('searches=2')),
    ...hungUp('a search, limited', (random) => ({ ...telling('searches=2')(random), ...search(2) })),
    ...hungUp('a search, billed after a hang-up', () => ({ model: 'priced-billed' }))
  ]
}

const flex: Ask = (random) => ({
  model: 'priced',
  service_tier: 'flex',
  ...responses.search(),
  ...responses.prompt(words(random, 40))
})

const failing: Ask = (random) => ({
  model: 'priced',
  ...responses.search(),
  ...responses.prompt(`${marker('searches=2', `fail-after=${2 + some(random, 14)}`)} ${words(random, 40)}`)
})

export const searchKinds: readonly Kind[] = [
  ...searchKindsOf(responses),
  ...searchKindsOf(messages),
  kindOf('responses', 'a search, flex', flex),
  kindOf('responses', 'a search, failed in the middle', failing, unreported),
  kindOf(
    'responses',
    'a search, failed in the middle, streamed',
    (random) => ({ ...failing(random), ...streamed(random) }),
    unreported
  ),
  kindOf(
    'responses',
    'a search in a conversation',
    (random) => ({ model: 'priced', ...responses.search(), input: words(random, 40) }),
    { continues: true }
  )
]
