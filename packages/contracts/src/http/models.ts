import { type Static, Type } from 'typebox'
import { featureNames } from '../catalog/features.ts'
import { Pricing, UpcomingPricing } from '../prices/pricing.ts'
import { described } from './described.ts'

export const ModelEntry = Type.Object({
  id: described('The name of the model in requests.', Type.String()),
  object: described('Always this.', Type.Literal('model')),
  created: described('When the model came out, in Unix seconds.', Type.Integer()),
  owned_by: described('Who made the model.', Type.String()),
  alias_of: Type.Optional(
    Type.String({ description: 'The model that this name is another name of. Receipts and usage name the model.' })
  ),
  description: Type.Optional(Type.String({ description: 'What the model is for. Absent if it is not known.' })),
  knowledge_cutoff: Type.Optional(
    Type.String({ description: 'The month until which it knows the world: `2026-05`. Absent if it is not known.' })
  ),
  supported_features: Type.Array(Type.Enum(featureNames), {
    description:
      'What it can do besides answering text with text, as far as it is known: call your functions (`tools`), answer in JSON ' +
      '(`json_mode`) or by your schema (`structured_outputs`), think before it answers (`reasoning`), search the web, and charge ' +
      'less for a prompt that it has seen (`prompt_caching`).'
  }),
  endpoints: Type.Array(Type.String(), { description: 'The paths at which the model is offered.' }),
  context_length: described(
    'The maximum tokens of a prompt and its answer together.',
    Type.Integer({ description: 'The maximum tokens of a prompt and its answer together.' })
  ),
  top_provider: described(
    'The limits again, under OpenRouter’s names.',
    Type.Object({
      context_length: described('The same as `context_length` above.', Type.Integer()),
      max_completion_tokens: Type.Union([Type.Integer(), Type.Null()], {
        description: 'The maximum tokens of an answer; null for a model whose answers have none.'
      })
    })
  ),
  pricing: Pricing,
  upcoming_pricing: Type.Optional(
    Type.Array(UpcomingPricing, {
      minItems: 1,
      description:
        'The changes of `pricing` that are already known, the earliest first. Absent if there are none. Prices that hold only at some ' +
        'hours or weekdays are left out here: `pricing` has them while they hold.'
    })
  )
})
export type ModelEntry = Static<typeof ModelEntry>

export const ModelList = Type.Object({
  object: described('Always this.', Type.Literal('list')),
  data: described('All models that the key may use.', Type.Array(ModelEntry))
})
export type ModelList = Static<typeof ModelList>

const maybeText = Type.Union([Type.String(), Type.Null()])

/** A model as Anthropic's API describes it. */
export const MessageModel = Type.Object({
  type: described('Always this.', Type.Literal('model')),
  id: described('The name of the model in requests.', Type.String()),
  display_name: described('The name for people.', Type.String()),
  created_at: described('When the model came out.', Type.String({ format: 'date-time' })),
  max_input_tokens: described('The maximum tokens of a prompt.', Type.Integer()),
  max_tokens: described('The maximum tokens of an answer.', Type.Integer()),
  lifecycle: described('Always this: models that are no longer offered are left out.', Type.Literal('active')),
  deprecated_at: described('Always null: not known here.', maybeText),
  retires_at: described('Always null: not known here.', maybeText),
  capabilities: described('Always null: not known here.', Type.Null()),
  line: described('Always null: not known here.', maybeText)
})
export type MessageModel = Static<typeof MessageModel>

/** A page of models of Anthropic's API. */
export const MessageModelList = Type.Object({
  data: described('A page of models.', Type.Array(MessageModel)),
  has_more: described('Whether there is a further page.', Type.Boolean()),
  first_id: described('The first id of the page; null if it is empty.', maybeText),
  last_id: described('The last id of the page; null if it is empty.', maybeText)
})
export type MessageModelList = Static<typeof MessageModelList>
