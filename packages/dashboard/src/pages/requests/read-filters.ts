import type { ExportFormat } from '../../ui/export-links.tsx'
import { boundsOf } from '../../usage/bounds-of-days.ts'
import { metadataOf, type RequestsSearch } from './requests-search.ts'

/** Statuses to choose from. The address may have any other. */
export const statusOptions = [
  ['', 'Every status'],
  ['2xx', 'Successful (2xx)'],
  ['402', 'Over budget (402)'],
  ['403', 'Not allowed (403)'],
  ['429', 'Rate limited (429)'],
  ['4xx', 'Refused or wrong (4xx)'],
  ['5xx', 'Failed (5xx)']
] as const

const statusForm = /^[1-9]([0-9]{2}|xx)$/
const memberForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A number with a comma that some languages read as a thousand, and others as one. */
const isUnclear = (number: string): boolean => /^[1-9][0-9]{0,2},[0-9]{3}$/.test(number)

/** Reads dollars such as `0.05`, `$5`, `.5` or `0,05` as the API takes them; null for any other text. */
export function readUsd(text: string): string | null {
  const [, number = ''] = /^\$?\s*([0-9]*[.,]?[0-9]*)\s*(?:\$|USD)?$/i.exec(text.trim()) ?? []
  if (isUnclear(number) || !/[0-9]/.test(number)) return null
  const [whole = '', part = ''] = number.split(/[.,]/)
  const usd = `${whole.replace(/^0+/, '') || '0'}.${part}`.replace(/\.?0*$/, '')
  return /^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(usd) ? usd : null
}

/** Reads a duration such as `500`, `500 ms` or `1.5 s` as milliseconds; null for any other text. */
export function readMs(text: string): string | null {
  const [, number = '', unit = 'ms'] = /^([0-9]+(?:[.,][0-9]+)?)\s*(ms|s)?$/i.exec(text.trim()) ?? []
  if (isUnclear(number) || number === '') return null
  const ms = String(Math.round(Number(number.replace(',', '.')) * (unit.toLowerCase() === 's' ? 1000 : 1)))
  return ms.length <= 9 ? ms : null
}

/** The filters that the API takes. Values of another form are left out, so that a mistyped address still works. */
export function readFilters(search: RequestsSearch): RequestsSearch {
  const { key, member, model, status, code } = search
  const [minUsd, maxUsd] = [readUsd(search.min_cost_usd ?? ''), readUsd(search.max_cost_usd ?? '')]
  const [minMs, maxMs] = [readMs(search.min_duration_ms ?? ''), readMs(search.max_duration_ms ?? '')]
  return {
    ...(key && { key }),
    ...(member && memberForm.test(member) && { member }),
    ...(model && { model }),
    ...(status && statusForm.test(status) && { status }),
    ...(code && { code }),
    ...boundsOf(search.from, search.to),
    ...(minUsd && { min_cost_usd: minUsd }),
    ...(maxUsd && { max_cost_usd: maxUsd }),
    ...(minMs && { min_duration_ms: minMs }),
    ...(maxMs && { max_duration_ms: maxMs }),
    ...metadataOf({ ...search })
  }
}

export const isFiltered = (search: RequestsSearch): boolean => Object.keys(readFilters(search)).length > 0

/**
 * The address of an export with these filters.
 *
 * @param account for operators: the id of the account whose requests are wanted
 */
export function exportPath(search: RequestsSearch, format: ExportFormat, account?: string): string {
  const path = account === undefined ? '/api/requests/export' : '/api/admin/requests/export'
  return `${path}?${new URLSearchParams({ ...(account && { account }), ...readFilters(search), format })}`
}
