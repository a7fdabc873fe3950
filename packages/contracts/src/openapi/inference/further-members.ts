import type { JsonSchema } from '../document.ts'

/**
 * Members of requests that the gateway passes on without reading them: the document lists them, and no schema validates
 * them. A test of the gateway compares the lists with what it accepts.
 */

const noPrice = 'Refused unless it is null: it has no price.'

const number = (description: string, minimum: number, maximum: number): JsonSchema => ({
  type: ['number', 'null'],
  minimum,
  maximum,
  description
})
const integer = (description: string, bounds: { minimum?: number; maximum?: number } = {}): JsonSchema => ({
  type: ['integer', 'null'],
  ...bounds,
  description
})
const text = (description: string): JsonSchema => ({ type: ['string', 'null'], description })
const flag = (description: string): JsonSchema => ({ type: ['boolean', 'null'], description })
const object = (description: string): JsonSchema => ({ type: ['object', 'null'], description })

/** In every API that writes text. */
const sampling = {
  temperature: number('How varied the answer is: 0 is the least. Default: the provider’s, mostly 1.', 0, 2),
  top_p: number('Only the likeliest tokens with this total probability are used. Default 1: all.', 0, 1)
}
const user = text('Your own id of the person who asks. It must not say who that is. Newer name: `safety_identifier`.')
const caching = {
  prompt_cache_key: text('Requests with the same key more likely find the provider’s cache.'),
  prompt_cache_retention: { type: 'null', description: noPrice }
}
const safetyIdentifier = text('Your own id of the person who asks. It must not say who that is.')
const metadata = object('Your own labels, up to 16. The provider stores them with the answer.')
const tier = text('Which capacity of the provider answers. Only tiers with a price of the model are allowed.')
const moderation = object('Asks the provider to judge the prompt and the answer, too.')
const parallel = flag('Whether the model may call several tools at once. Default true.')
const penalties = {
  frequency_penalty: number('Above 0: words that the text already has often become rarer. Default 0.', -2, 2),
  presence_penalty: number('Above 0: words that the text already has become rarer. Default 0.', -2, 2),
  logit_bias: object('How much likelier each token becomes, by its id: from -100 (never) to 100 (always).'),
  seed: integer('The same seed and request mostly give the same answer. Providers do not promise it.')
}

/** By the name of the request's schema, and then of the member. */
export const furtherMembers: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  ChatRequest: {
    ...sampling,
    ...penalties,
    logprobs: flag('Whether the answer has the probability of each of its tokens. Default false.'),
    top_logprobs: integer('For how many of the likeliest tokens at each place. Needs `logprobs`.', {
      minimum: 0,
      maximum: 20
    }),
    reasoning_effort: text('How much the model reasons, such as `low`, `medium` or `high`. Reasoning is output.'),
    verbosity: text('How long the answer is: `low`, `medium` or `high`. Default `medium`.'),
    parallel_tool_calls: parallel,
    modalities: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'What the answer has: `text`, and `audio` if the model has a price for it. Default: text.'
    },
    audio: object('The voice and format of a spoken answer. Needs a model with a price for audio.'),
    prediction: { type: 'null', description: noPrice },
    web_search_options: { type: 'null', description: noPrice },
    service_tier: tier,
    store: flag('Whether the provider stores the answer.'),
    metadata,
    moderation,
    ...caching,
    prompt_cache_options: object('How long the provider keeps the prompt in its cache. A longer `ttl` needs a price.'),
    safety_identifier: safetyIdentifier,
    user
  },
  CompletionRequest: {
    ...sampling,
    ...penalties,
    logprobs: integer('For how many of the likeliest tokens at each place the answer has the probability.', {
      minimum: 0,
      maximum: 5
    }),
    echo: flag('Whether the answer begins with the prompt. Default false.'),
    suffix: text('The text after the answer.'),
    user
  },
  EmbeddingRequest: {
    dimensions: integer('How many numbers each vector has. Default: as many as the model gives.', { minimum: 1 }),
    encoding_format: { enum: ['float', 'base64', null], description: 'How vectors are written. Default `float`.' },
    user
  },
  ResponseRequest: {
    ...sampling,
    top_logprobs: integer('For how many of the likeliest tokens at each place the answer has the probability.', {
      minimum: 0,
      maximum: 20
    }),
    truncation: text('`auto` drops the oldest items if the input is too long. Default `disabled`: an error.'),
    parallel_tool_calls: parallel,
    service_tier: tier,
    metadata,
    client_metadata: object('Labels that Codex sends.'),
    moderation,
    access_programs: { description: 'Passed on unchanged, as OpenAI’s reference describes it.' },
    image: { description: 'Passed on unchanged, as OpenAI’s reference describes it.' },
    ...caching,
    safety_identifier: safetyIdentifier,
    user
  },
  MessageRequest: {
    temperature: number('How varied the answer is: 0 is the least. Default 1.', 0, 1),
    top_p: number('Only the likeliest tokens with this total probability are used. Default: all.', 0, 1),
    top_k: integer('Only this many of the likeliest tokens are used. Default: all.', { minimum: 0 })
  }
}
