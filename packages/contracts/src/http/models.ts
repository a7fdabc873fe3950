import { type Static, Type } from 'typebox'

export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
  endpoints: Type.Array(Type.String(), { description: 'The paths at which the model is offered.' })
})
export type ModelEntry = Static<typeof ModelEntry>

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelEntry) })
export type ModelList = Static<typeof ModelList>
