import type { QueryKey } from '@tanstack/react-query'
import type { Answer } from '../../api/call.ts'
import type { ExportFormat } from '../../ui/export-links.tsx'
import type { ListedRequest } from './describe-request.ts'
import type { RequestsSearch } from './requests-search.ts'

/** A part of the log, newest requests first. */
export interface LogPage extends Omit<Answer<'listRequests'>, 'requests'> {
  readonly requests: readonly ListedRequest[]
}

/** The filters as the API takes them, and which part is wanted. */
export interface LogQuery extends RequestsSearch {
  readonly limit: string
  readonly cursor: string | undefined
}

/** The requests of the reader's account or, for operators, of any account: where they are read, and where their receipts are. */
export interface RequestLog {
  /** The key of each cached part of the log starts with this. */
  readonly key: QueryKey
  /** The page of a receipt is below it. */
  readonly receipts: '/dashboard/requests' | '/dashboard/operator/requests'
  /** Whether each listed request names its provider. */
  readonly hasProviders: boolean
  readonly list: (query: LogQuery, signal: AbortSignal) => Promise<LogPage>
  /** Fails if the reader may not export now. */
  readonly checkExport?: () => Promise<unknown>
  /** The address of an export with these filters. */
  readonly exportPath: (search: RequestsSearch, format: ExportFormat) => string
}
