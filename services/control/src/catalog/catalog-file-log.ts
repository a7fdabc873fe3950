import type { FileError } from '@tollgate/service/config/read-yaml.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Publication } from './publish-catalog.ts'

/** Tells the operator what became of the catalog file. */
export interface CatalogFileLog {
  /** @param isSayingAll also says that nothing has changed */
  handled(publication: Publication, isSayingAll: boolean): void
  /** A repeated refusal is not logged again. @param version of the catalog in force */
  refused(error: FileError, version: number | null): void
  /** From now on, a refusal is logged even if it was logged before. */
  forget(): void
}

export function createCatalogFileLog(
  file: string,
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
): CatalogFileLog {
  let last: string | null = null
  return {
    handled(publication, isSayingAll) {
      last = null
      const { outcome, version } = publication
      if (outcome === 'published') {
        const { replaced } = publication
        log.info({ file, version, replaced }, `the catalog file is in force as catalog ${version}`)
      } else if (outcome === 'superseded') {
        const { former } = publication
        log.warn(
          { file, version, former },
          `The catalog file was in force before, as catalog ${former}. Catalog ${version} replaced it and stays in force. ` +
            `To go back to the file: tollgate catalog apply ${file}`
        )
      } else if (isSayingAll) log.info({ file, version }, `the catalog file is in force already, as catalog ${version}`)
    },
    refused({ message }, version) {
      if (message === last) return
      last = message
      const stays = version === null ? '' : ` Catalog ${version} stays in force.`
      log.error({ file, version }, `The catalog file is not published.${stays} ${message}`)
    },
    forget() {
      last = null
    }
  }
}
