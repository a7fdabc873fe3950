import { keepSearch } from '../../layout/keep-search.ts'

/** The filters of the requests page, as in its address. */
export interface RequestsSearch {
  readonly key?: string
  /** Id of a user, who created the key. */
  readonly member?: string
  readonly model?: string
  readonly status?: string
  /** The code of an error. */
  readonly code?: string
  /**
   * The first and the last day (UTC), such as `2026-11-23`, or hour, such as `2026-11-23T05:00Z`. Both are included.
   */
  readonly from?: string
  readonly to?: string
  /** Dollars, such as `0.05`. */
  readonly min_cost_usd?: string
  readonly max_cost_usd?: string
  readonly min_duration_ms?: string
  readonly max_duration_ms?: string
  /** What the key's metadata must have. */
  readonly [metadata: `metadata.${string}`]: string
}

const searchNames = [
  ...(['key', 'member', 'model', 'status', 'code', 'from', 'to'] as const),
  ...(['min_cost_usd', 'max_cost_usd', 'min_duration_ms', 'max_duration_ms'] as const)
] as const

const metadataForm = /^metadata\.[A-Za-z0-9_.-]{1,40}$/

/** Reads the known search parameters of an address and drops all others. */
export const readRequestsSearch = (search: Record<string, unknown>): RequestsSearch => ({
  ...keepSearch(...searchNames)(search),
  ...metadataOf(search)
})

/** The conditions on metadata in an address. A value may be empty. */
export const metadataOf = (search: Record<string, unknown>): Record<`metadata.${string}`, string> =>
  Object.fromEntries(
    Object.entries(search).filter(([name, value]) => metadataForm.test(name) && typeof value === 'string')
  ) as Record<`metadata.${string}`, string>
