import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { CatalogDiffRequest } from '@tollgate/contracts/http/admin/catalog.ts'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import type { Orm } from '../database/connect.ts'
import { readPublished } from './live-catalog.ts'
import { type CatalogContent, contentOf } from './publish-catalog.ts'
import { readCatalogRow } from './read-catalogs.ts'

/** A catalog that an operator wants to publish. */
export interface Candidate {
  readonly catalog: Catalog
  readonly content: CatalogContent
}

/** Largest version that PostgreSQL's `integer` has. */
const maxVersion = 2 ** 31 - 1

/**
 * Reads what an operator sent: the text of a file, or the version of an earlier catalog.
 *
 * @returns the catalog, or why it cannot be published
 */
export async function readCandidate(orm: Orm, asked: CatalogDiffRequest): Promise<Candidate | { problems: string[] }> {
  if ('yaml' in asked) return parseText(asked.yaml)
  const { version } = asked
  const row = version > maxVersion ? null : await readCatalogRow(orm, version)
  if (row === null) return { problems: [`version: there is no catalog ${version}`] }
  const { json, yaml } = row
  if (json === null || yaml === null) {
    return { problems: [`version: the content of catalog ${version} is no longer kept; send the text of its file`] }
  }
  try {
    return { catalog: readPublished(version, json), content: { json, yaml } }
  } catch {
    // This release may still read the text that the other one read.
    return parseText(yaml)
  }
}

function parseText(yaml: string): Candidate | { problems: string[] } {
  try {
    const catalog = parseCatalog(yaml, 'catalog')
    return { catalog, content: contentOf(catalog, yaml) }
  } catch (error) {
    if (error instanceof FileError) return { problems: [...error.problems] }
    throw error
  }
}
