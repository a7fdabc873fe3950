import { hash } from 'node:crypto'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError, readText } from '@tollgate/service/config/read-yaml.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Orm } from '../database/connect.ts'
import type { CatalogPublisher } from './catalog-publisher.ts'
import type { LiveCatalog } from './live-catalog.ts'
import { contentOf, type Publication, type PublicationMode, previewPublication } from './publish-catalog.ts'

const defaultIntervalMs = 10_000
/** A changed file must stay unchanged for this long, ms: an editor may have written only a part of it. */
const settleMs = 1000

export interface FollowerOptions {
  orm: Orm
  file: string
  mode: PublicationMode
  publisher: CatalogPublisher
  catalog: LiveCatalog
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** From one check of the file to the next. */
  intervalMs?: number
  settleMs?: number
}

/** The catalog file of this replica. Its content is published at the start, when it changes, and when asked. */
export interface CatalogFollower extends Pick<BackgroundLoop, 'start' | 'stop' | 'progress'> {
  /**
   * Publishes the file if the rules allow it, and loads the catalog in force. Call it before control listens.
   *
   * @throws FileError for a bad file, if no catalog is in force or if the file must be applied; or the error of the
   *   database
   */
  open(): Promise<void>
  /** Checks the file now, even if it did not change. Never throws. */
  reload(): void
}

/** A text, or why it could not be read. */
interface FileContent {
  readonly digest: string
  readonly text: string | null
  readonly error: FileError | null
}

/** A route names an upstream that no running gateway has. */
class MissingUpstreamError extends FileError {}

export function followCatalogFile(options: FollowerOptions): CatalogFollower {
  const { file, mode, publisher, catalog, log } = options
  const fileLog = createCatalogFileLog(file, log)
  /** Digest of the content that needs no further work. */
  let handled: string | null = null
  /** Digest of the last good content. A file that was damaged for a moment has not changed when it is back. */
  let lastGood: string | null = null
  let isAsked = false
  let isOpen = false
  const loop = createBackgroundLoop({
    async round() {
      const wasAsked = isAsked
      isAsked = false
      try {
        await check(wasAsked)
      } catch (error) {
        // The next round does what was asked.
        isAsked ||= wasAsked
        throw error
      }
    },
    intervalMs: options.intervalMs ?? defaultIntervalMs,
    isFirstDelayed: true,
    log,
    messages: {
      failing: 'the catalog file could not be published; control tries again',
      recovered: 'the catalog file is checked again'
    }
  })

  async function check(wasAsked: boolean): Promise<void> {
    const content = readFile(file)
    if (content.digest === lastGood && handled !== lastGood) {
      handled = lastGood
      fileLog.forget()
    }
    const isChanged = content.digest !== handled
    if (wasAsked) {
      fileLog.forget()
      // Nobody changed the file: then the signal may come from a closing terminal, and must not replace the catalog in
      // force.
      await handle(content, isChanged ? mode : 'publish-new', true)
    } else if (isChanged) {
      await loop.pause(options.settleMs ?? settleMs)
      if (!loop.signal.aborted && readFile(file).digest === content.digest) await handle(content, mode, false)
    }
  }

  async function handle(content: FileContent, how: PublicationMode, isSayingAll: boolean): Promise<void> {
    try {
      const publication = await publishFile(content, { mode: how, isOpen }, options)
      handled = content.digest
      lastGood = content.digest
      fileLog.handled(publication, isSayingAll)
      if (publication.outcome === 'published' && isOpen) await publisher.project()
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      // A missing upstream may come later: the next check tries again.
      if (!(error instanceof MissingUpstreamError)) handled = content.digest
      fileLog.refused(error, catalog.version)
    }
  }

  return {
    ...loop,
    async open() {
      const content = readFile(file)
      await catalog.refresh().catch((err: unknown) => log.warn({ err }, 'the catalog in force cannot be read'))
      // Without a catalog, control serves nobody. With `apply`, the operator must learn that the file was not applied.
      if (catalog.version === null || mode === 'apply') assertGood(content, file)
      await handle(content, mode, false)
      await catalog.refresh()
      isOpen = true
    },
    reload() {
      isAsked = true
      loop.wake()
    }
  }
}

function readFile(file: string): FileContent {
  try {
    const text = readText(file)
    return { digest: hash('sha256', text, 'hex'), text, error: null }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { digest: error.message, text: null, error }
  }
}

/**
 * @param isOpen whether control listens
 * @throws FileError, or the error of the database
 */
async function publishFile(
  { text, error }: FileContent,
  { mode, isOpen }: { mode: PublicationMode; isOpen: boolean },
  { orm, file, publisher, log }: FollowerOptions
): Promise<Publication> {
  if (error !== null) throw error
  const candidate = parseCatalog(text!, file)
  const content = contentOf(candidate, text!)
  const obstacle = await previewPublication(orm, content, mode)
  if (obstacle !== null) return obstacle
  const { problems, warnings } = await publisher.judge(candidate)
  if (problems.length > 0) throw new MissingUpstreamError(file, problems)
  // When a system starts, its gateways follow control.
  for (const warning of warnings) log[isOpen ? 'warn' : 'info']({ file }, warning)
  return publisher.publish(content, { mode, operator: null })
}

function assertGood({ text, error }: FileContent, file: string): void {
  if (error !== null) throw error
  parseCatalog(text!, file)
}

/** Tells the operator what became of the catalog file. */
interface CatalogFileLog {
  /** @param isSayingAll also says that nothing has changed */
  handled(publication: Publication, isSayingAll: boolean): void
  /** A repeated refusal is not logged again. @param version of the catalog in force */
  refused(error: FileError, version: number | null): void
  /** From now on, a refusal is logged even if it was logged before. */
  forget(): void
}

function createCatalogFileLog(file: string, log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>): CatalogFileLog {
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
