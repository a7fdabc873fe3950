/** The filters of the requests page, as in its address. */
export interface RequestsSearch {
  readonly key?: string
  readonly model?: string
  readonly status?: string
}

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

/** The filters that the API takes. A status that is none is left out, so that a mistyped address still works. */
export function readFilters({ key, model, status }: RequestsSearch): RequestsSearch {
  return { ...(key && { key }), ...(model && { model }), ...(status && statusForm.test(status) && { status }) }
}

export const isFiltered = (search: RequestsSearch): boolean => Object.keys(readFilters(search)).length > 0

/** The address of an export with these filters. */
export const exportPath = (search: RequestsSearch, format: 'csv' | 'ndjson'): string =>
  `/api/requests/export?${new URLSearchParams({ ...readFilters(search), format })}`
