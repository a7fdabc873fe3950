import { type Static, Type } from 'typebox'
import { Count, closed, Reason } from './adjustments.ts'

/** How complete the copy in Redis is. */
export const AdminProjection = Type.Object({
  /** Rises when everything is written to Redis again. */
  epoch: Count,
  shards: Type.Object({
    total: Count,
    /** Redis has their newest change. */
    current: Count,
    /** Redis lacks changes. Gateways use the earlier state for some seconds. */
    behind: Count,
    /** Not verified for the present Redis process. Gateways refuse their requests. */
    unverified: Count,
    /** Their Redis process does not answer. */
    unreachable: Count
  }),
  catalog: Type.Object({
    version: Count,
    /** Whether Redis has this version. */
    is_current: Type.Boolean()
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
