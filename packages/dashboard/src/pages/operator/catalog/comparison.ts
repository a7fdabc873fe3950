import type { CatalogDiffResponse, PublishedCatalog } from '@tollgate/contracts/http/admin/catalog.ts'

/** The text of a file, or the version of an earlier catalog. */
export type NewCatalog = { readonly yaml: string } | { readonly version: number }

/** What would change, compared with the catalog in force. */
export interface Comparison {
  readonly of: NewCatalog
  readonly found: CatalogDiffResponse
}

/** Who put a catalog in force. */
export const nameOfPublisher = ({ published_by, operator_email }: PublishedCatalog): string =>
  published_by === 'file' ? 'The catalog file' : (operator_email ?? 'A deleted operator')
