/** The filters of the requests page, as in its address. */
export interface RequestsSearch {
  readonly key?: string
  readonly model?: string
  readonly status?: string
  /** The code of an error. */
  readonly code?: string
  /** The first and the last day (UTC), such as `2026-11-23`. */
  readonly from?: string
  readonly to?: string
  /** Dollars, such as `0.05`. */
  readonly min_cost_usd?: string
  readonly max_cost_usd?: string
}

export const searchNames = ['key', 'model', 'status', 'code', 'from', 'to', 'min_cost_usd', 'max_cost_usd'] as const

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
const dayForm = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/
const dayMs = 86_400_000

/** The start of a day (UTC), some days later; undefined if the text is no day. */
function startOfDay(day: string | undefined, daysLater = 0): string | undefined {
  const time = day !== undefined && dayForm.test(day) ? Date.parse(day) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time + daysLater * dayMs).toISOString()
}

/** The filters that the API takes. Values of another form are left out, so that a mistyped address still works. */
export function readFilters(search: RequestsSearch): RequestsSearch {
  const { key, model, status, code, min_cost_usd, max_cost_usd } = search
  const from = startOfDay(search.from)
  // The API's end is exclusive, and the last day is included.
  const to = startOfDay(search.to, 1)
  return {
    ...(key && { key }),
    ...(model && { model }),
    ...(status && statusForm.test(status) && { status }),
    ...(code && { code }),
    ...(from && { from }),
    ...(to && { to }),
    ...(min_cost_usd && usdForm.test(min_cost_usd) && { min_cost_usd }),
    ...(max_cost_usd && usdForm.test(max_cost_usd) && { max_cost_usd })
  }
}

export const isFiltered = (search: RequestsSearch): boolean => Object.keys(readFilters(search)).length > 0

/** The address of an export with these filters. */
export const exportPath = (search: RequestsSearch, format: 'csv' | 'ndjson'): string =>
  `/api/requests/export?${new URLSearchParams({ ...readFilters(search), format })}`
