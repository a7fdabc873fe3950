import { type Static, Type } from 'typebox'

export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
  alias_of: Type.Optional(
    Type.String({ description: 'The model that this name is another name of. Receipts and usage name the model.' })
  ),
  endpoints: Type.Array(Type.String(), { description: 'The paths at which the model is offered.' })
})
export type ModelEntry = Static<typeof ModelEntry>

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelEntry) })
export type ModelList = Static<typeof ModelList>

const maybeText = Type.Union([Type.String(), Type.Null()])

/** A model as Anthropic's API describes it. */
export const MessageModel = Type.Object({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  max_input_tokens: Type.Integer(),
  max_tokens: Type.Integer(),
  lifecycle: Type.Literal('active'),
  deprecated_at: maybeText,
  retires_at: maybeText,
  capabilities: Type.Null(),
  line: maybeText
})
export type MessageModel = Static<typeof MessageModel>

/** A page of models of Anthropic's API. */
export const MessageModelList = Type.Object({
  data: Type.Array(MessageModel),
  has_more: Type.Boolean(),
  first_id: maybeText,
  last_id: maybeText
})
export type MessageModelList = Static<typeof MessageModelList>
