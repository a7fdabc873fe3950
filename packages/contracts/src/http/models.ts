import { type Static, Type } from 'typebox'

export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String()
})
export type ModelEntry = Static<typeof ModelEntry>

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelEntry) })
export type ModelList = Static<typeof ModelList>
