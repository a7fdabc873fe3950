import { keepSearch } from '../../layout/keep-search.ts'
import type { ExportFormat } from '../../ui/export-links.tsx'
import { boundsOf } from '../../usage/bounds-of-days.ts'

/** The filters of the requests page, as in its address. */
export interface RequestsSearch {
  readonly key?: string
  /** Id of a user, who created the key. */
  readonly member?: string
  readonly model?: string
  readonly status?: string
  /** The code of an error. */
  readonly code?: string
  /** The first and the last day (UTC), such as `2026-11-23`, or hour, such as `2026-11-23T05:00Z`. Both are included. */
  readonly from?: string
  readonly to?: string
  /** Dollars, such as `0.05`. */
  readonly min_cost_usd?: string
  readonly max_cost_usd?: string
  /** What the key's metadata must have. */
  readonly [metadata: `metadata.${string}`]: string
}

const searchNames = ['key', 'member', 'model', 'status', 'code', 'from', 'to', 'min_cost_usd', 'max_cost_usd'] as const

const metadataForm = /^metadata\.[A-Za-z0-9_.-]{1,40}$/
const memberForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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

/** Statuses to choose from. The address may have any other. */
export const statusOptions = [
  ['', 'Every status'],
  ['2xx', 'Successful (2xx)'],
  ['402', 'Over budget (402)'],
  ['429', 'Rate limited (429)'],
  ['4xx', 'Refused or wrong (4xx)'],
  ['5xx', 'Failed (5xx)']
] as const

const statusForm = /^[1-9]([0-9]{2}|xx)$/

const usdForm = /^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$/
/** The filters that the API takes. Values of another form are left out, so that a mistyped address still works. */
export function readFilters(search: RequestsSearch): RequestsSearch {
  const { key, member, model, status, code, min_cost_usd, max_cost_usd } = search
  return {
    ...(key && { key }),
    ...(member && memberForm.test(member) && { member }),
    ...(model && { model }),
    ...(status && statusForm.test(status) && { status }),
    ...(code && { code }),
    ...boundsOf(search.from, search.to),
    ...(min_cost_usd && usdForm.test(min_cost_usd) && { min_cost_usd }),
    ...(max_cost_usd && usdForm.test(max_cost_usd) && { max_cost_usd }),
    ...metadataOf({ ...search })
  }
}

export const isFiltered = (search: RequestsSearch): boolean => Object.keys(readFilters(search)).length > 0

/** The address of an export with these filters. */
export const exportPath = (search: RequestsSearch, format: ExportFormat): string =>
  `/api/requests/export?${new URLSearchParams({ ...readFilters(search), format })}`
