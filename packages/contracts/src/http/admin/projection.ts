import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
import { Count, closed, Reason } from './adjustments.ts'

/** How complete the copy in Redis is. */
export const AdminProjection = Type.Object({
  epoch: described('Rises when everything is written to Redis again.', Count),
  shards: Type.Object({
    total: Count,
    current: described('Redis has their newest change.', Count),
    behind: described('Redis lacks changes. Gateways use the earlier state for some seconds.', Count),
    unverified: described('Not verified for the present Redis process. Gateways refuse their requests.', Count),
    unreachable: described('Their Redis process does not answer.', Count)
  }),
  catalog: Type.Object({
    version: Count,
    is_current: described('Whether Redis has this version.', Type.Boolean())
  }),
  is_current: Type.Boolean()
})
export type AdminProjection = Static<typeof AdminProjection>

export const AdminProjectionResponse = Type.Object({ projection: AdminProjection })
export type AdminProjectionResponse = Static<typeof AdminProjectionResponse>

export const RebuildProjectionRequest = Type.Object({ reason: Reason }, closed)
export type RebuildProjectionRequest = Static<typeof RebuildProjectionRequest>

/** The new epoch. Everything is written to Redis again under it. */
export const RebuildProjectionResponse = Type.Object({ epoch: Count })
export type RebuildProjectionResponse = Static<typeof RebuildProjectionResponse>
